"""One protocol for agents of every kind, and one table of their scores by every measure that can take them.

``protocol`` says what an agent is; ``kernel``, ``searching``, ``network`` and ``outside`` make agents of the measures'
own learners, of trained networks and of what others wrote; ``adapters`` leads to the measures' own interfaces and back;
``playing`` lets agents act; ``scoring`` holds one module per measure, and ``table`` asks them.
"""
