"""The guard rejects input that could crash an engine or give wrong results."""

import threading

import numpy as np
import pytest

from auscult.models.network import engines
from auscult.models.network.architecture import Architecture
from auscult.models.network.errors import ModelError
from auscult.models.network.guard import MAX_BATCH
from auscult.models.network.shipped_weights import shipped_weights

ARCH = Architecture()
WIDTH = ARCH.width
pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture
def model(engine):
    return engines.inference("vibration", shipped_weights(ARCH, "vibration"))


def rows(n=3, width=WIDTH, dtype=np.float32):
    return np.ones((n, width), dtype)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"x": rows(width=WIDTH - 1)}, "shape"),
        ({"x": rows()[0]}, "shape"),
        ({"x": rows(0), "mask": rows(0)}, "rows, must be 1"),
        ({"x": rows(MAX_BATCH + 1), "mask": rows(MAX_BATCH + 1)}, "rows, must be 1"),
        ({"x": rows(2), "mask": rows(3)}, "must be equal"),
        ({"x": rows() * np.nan}, "NaN"),
        ({"x": rows() * np.inf}, "NaN"),
        ({"x": np.full((3, WIDTH), 1e300)}, "NaN"),
        ({"x": rows(dtype=complex)}, "dtype"),
        ({"x": np.full((3, WIDTH), "a")}, "dtype"),
        ({"x": None}, "dtype"),
        ({"extra": rows()}, "takes"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_invalid_input_is_rejected_without_harm(model, bad, message):
    good = {"x": rows(), "mask": rows()}
    before = model("infer", **good)["residual"]
    with pytest.raises(ModelError, match=message):
        model("infer", **{**good, **bad})
    np.testing.assert_array_equal(model("infer", **good)["residual"], before)


def test_missing_input_and_unknown_signature_are_named(model):
    with pytest.raises(ModelError, match="mask"):
        model("infer", x=rows())
    with pytest.raises(ModelError, match="no signature 'guess'"):
        model("guess", x=rows())


def test_a_wrong_vector_length_is_rejected():
    size = ARCH.head_size
    features = rows(width=ARCH.head_width)
    with pytest.raises(ModelError, match="shape"):
        engines.training()("head", theta=np.zeros(size - 1), features=features)


def test_layout_of_an_input_does_not_matter(model):
    x = np.random.default_rng(0).standard_normal((4, WIDTH)).astype(np.float32)
    mask = rows(4)
    wanted = model("infer", x=x, mask=mask)["residual"]
    for same in (x.astype(">f4"), x.astype(float), np.asfortranarray(x), np.repeat(x, 2, 0)[::2]):
        np.testing.assert_array_equal(model("infer", x=same, mask=mask)["residual"], wanted)


def test_results_are_copies(model):
    first = model("infer", x=rows(), mask=rows())["residual"]
    kept = first.copy()
    model("infer", x=5 * rows(), mask=rows())
    np.testing.assert_array_equal(first, kept)


def test_a_failure_of_the_runtime_is_final():
    model = engines.training()

    def fail(signature, inputs):
        raise RuntimeError("tensor arena")

    model._engine.run = fail
    for _ in range(2):
        with pytest.raises(ModelError, match="tensor arena"):
            model("head", **zeros(model, "head"))
    with pytest.raises(ModelError, match="load it again"):
        model("train_head", **zeros(model, "train_head"))


def zeros(model, signature):
    return {
        name: np.zeros([2 if size == -1 else size for size in shape])
        for name, shape in model.signatures[signature].items()
    }


def test_one_model_serves_several_threads(model):
    rng = np.random.default_rng(1)
    batches = {n: rng.standard_normal((n, WIDTH)).astype(np.float32) for n in (1, 7, 16, 33)}
    wanted = {n: model("infer", x=x, mask=rows(n))["residual"] for n, x in batches.items()}
    wrong = []

    def work(n):
        for _ in range(300):
            got = model("infer", x=batches[n], mask=rows(n))["residual"]
            if not np.array_equal(got, wanted[n]):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
