# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs tests in Blender, and ends the interpreter."""

import os
import sys
import traceback


def run(extension, *tests) -> None:
    """Runs tests with the extension registered, then ends the interpreter: a thread with which bpy closes files can keep it from
    ending by itself (`delayed_close_thread_run` in 4.5), and so do classes that stay registered."""
    status = 1
    extension.register()
    try:
        for test in tests:
            test()
        print("ok")
        status = 0
    except Exception:
        traceback.print_exc()
    finally:
        extension.unregister()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
