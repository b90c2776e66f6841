"""The environments of the other measures, played: as Gymnasium environments and as control domains.

The measures' own packages step many environments side by side in NumPy or compiled code (``lanes``); here they get what
``aiq.domains`` and Gymnasium ask for. ``aiq.domains.control.settings`` holds their settings and registers them.
"""
