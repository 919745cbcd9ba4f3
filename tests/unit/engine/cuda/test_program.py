"""The kernels compile with NVRTC, which needs no GPU, for every kind of machine and processor."""

import pytest

from clausal.encoding.patch_view import PatchView
from clausal.engine.cuda.layout import layout_of, shape_of
from clausal.engine.cuda.program import compiled, source_of
from clausal.engine.feedback import NumericLoss
from tests.support.toy_machines import make_config

MACHINES = {
    "small": {"n_clauses": 100, "n_columns": 18},
    "large": {"n_clauses": 2000, "n_columns": 784},
    "focused": {"n_clauses": 40, "n_columns": 70, "n_banks": 3, "focused_negatives": True},
    "shared": {"n_clauses": 40, "n_columns": 9, "n_banks": 3, "shared": True, "drop_clause": 0.5},
    "numbers": {
        "n_clauses": 206,
        "n_columns": 300,
        "loss": NumericLoss(2**32, 2**32, proportional=True),
        "max_clause_literals": 3,
    },
    "patches": {"n_clauses": 30, "n_columns": 40, "view": PatchView(9, 9, 1, 3, 3)},
}


@pytest.fixture(autouse=True)
def _nvrtc():
    pytest.importorskip(
        "cuda.core", reason="needs cuda-core and nvidia-cuda-nvrtc: pip install clausal[cuda]"
    )


def layout(name, *, has_clusters=True):
    options = MACHINES[name]
    if view := options.get("view"):
        options = options | {"n_columns": view.n_columns}
    return layout_of(shape_of(make_config(**options)), 10, 132, 227 << 10, has_clusters=has_clusters)


@pytest.mark.parametrize("name", MACHINES)
def test_training(name):
    assert compiled("train", layout(name).constants, "sm_90").code


@pytest.mark.parametrize("arch", ["sm_80", "sm_120"])
def test_other_processors(arch):
    own = layout("large", has_clusters=arch != "sm_80")
    assert compiled("train", own.constants, arch).code


def test_states_and_turns():
    assert compiled("states", layout("small").constants, "sm_80").code
    assert compiled("list_turns", (), "sm_80").code


@pytest.mark.parametrize("in_shared", [0, 1])
@pytest.mark.parametrize("wide", [0, 1])
def test_votes(in_shared, wide):
    constants = (("THREADS", 512), ("IN_SHARED", in_shared), ("WIDE_POINTS", wide))
    assert compiled("votes", constants, "sm_80").code


def test_a_file_is_in_a_source_once_and_no_header_of_the_library():
    source = source_of("train")
    assert source.count("struct WeightRule {") == 1
    assert "#include" not in source
