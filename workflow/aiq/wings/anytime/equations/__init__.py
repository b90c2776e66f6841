"""The anytime intelligence test (Hernández-Orallo and Dowe 2010).

``administer`` examines an agent in a class of environments (``cups``, ``automata``, ``grid``), by interactions
(Definition 19) or in physical time (Definition 18); ``reduction`` reduces repeated tests to records. How to have an
agent of your own examined is told in ``protocol``.
"""
