"""A model as a small HTTP service: `make_app` (app.py), which `clausal serve` runs.

Beside it: bodies within limits (bodies.py), what is said of rows (scoring.py), the description of a model
(schema.py) and the page /docs (docs_page.py). Needs FastAPI: `pip install clausal[serve]`.
"""

from clausal.frames import not_installed

try:
    from clausal.service.app import make_app
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] not in ("fastapi", "starlette"):
        raise
    raise not_installed("A service", "FastAPI", "clausal[serve]") from None

__all__ = ["make_app"]
