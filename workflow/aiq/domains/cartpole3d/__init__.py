"""CartPole3D: a pole on a cart in a box of bouncing balls, with sixteen levels of novelty.

Importing this makes ``gymnasium.make("aiq/CartPole3D-v0")`` work, as ``aiq.domains`` does; neither Gymnasium nor
PyBullet is imported before it is needed.
"""
