"""One protocol for agents of every kind, and one table of their scores by every measure that can take them.

``protocol`` says what an agent is and lets agents act; ``players`` makes agents of trained networks and of what others
wrote; ``table`` says what a measure is to it, and asks all of them.
"""
