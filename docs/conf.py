"""The site, built by `make docs`: the Markdown pages as they are, the API reference, executed examples.

The source folder of Sphinx is the root of the repository, so that the links between README.md, docs/ and
studies/ lead to the same pages here as in the repository.
"""

from __future__ import annotations

import os
import warnings

from sphinx_gallery.sorting import ExplicitOrder

import clausal

project = "clausal"
author = "The clausal developers"
copyright = "The clausal developers"
version = release = clausal.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
root_doc = "docs/index"
include_patterns = ["docs/**", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "studies/**"]
exclude_patterns = [
    "build",
    ".*",
    "docs/_templates",
    "docs/gallery/**.ipynb",
    "docs/gallery/**.py",
    "docs/gallery/sg_*",
]
nitpicky = False
default_role = "code"
templates_path = ["docs/_templates"]  # of autosummary, relative to the source folder
suppress_warnings = ["config.cache"]  # the order of the examples cannot be pickled

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # docs/_templates/autosummary/class.rst lists them

# --- examples ---

EXAMPLES = (
    "first_scorecard",
    "credit_scoring",
    "clinical_score",
    "customer_churn",
    "several_classes",
    "predict_a_number",
    "images",
    "text",
    "read_and_edit_rules",
    "imbalanced_classes",
    "tune_a_model",
    "large_tables",
    "deploy_a_model",
    "inside_a_tsetlin_machine",
    "the_paper_in_ten_minutes",
)


class InOrder:
    """The order of EXAMPLES."""

    def __init__(self, folder: str) -> None:
        pass

    def __call__(self, name: str) -> int:
        """The position of an example; an error if it is not listed."""
        return EXAMPLES.index(name.removesuffix(".py"))


sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "docs/gallery",
    "filename_pattern": "/",
    "within_subsection_order": InOrder,
    "subsection_order": ExplicitOrder(["*"]),
    "matplotlib_animations": False,
    "show_memory": False,
    "show_signature": False,
    "plot_gallery": os.environ.get("CLAUSAL_DOCS_EXECUTE", "1") == "1",
    "min_reported_time": 5,
    "write_computation_times": False,
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib",),
    "remove_config_comments": True,
    "download_all_examples": False,
    "abort_on_example_error": False,
}
warnings.filterwarnings("ignore", category=UserWarning, message=".*non-GUI backend.*")

# --- pages ---

html_theme = "pydata_sphinx_theme"
html_title = "clausal"
html_static_path = ["_static"]
html_extra_path = ["_extra"]  # index.html, which leads to docs/index.html
html_css_files = ["style.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "clausal"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
