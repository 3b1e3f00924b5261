"""A projection as a model of ONNX."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import EigenveilError
from .reduction import Floats, Link

_OPSET = 13
_FORMAT = 7
"""The version of the file that goes with the operators, so that older runtimes read it."""


class _Graph:
    """Nodes of a model, each of which takes names of what others give."""

    def __init__(self) -> None:
        from onnx import helper, numpy_helper

        self._helper, self._numpy = helper, numpy_helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Floats | float) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(self._numpy.from_array(np.asarray(value, dtype=np.float64), name))
        return name

    def add(self, operator: str, *inputs: str, name: str | None = None) -> str:
        given = name or f"value_{len(self.nodes)}"
        self.nodes.append(self._helper.make_node(operator, list(inputs), [given]))
        return given

    def fraction(self, value: str) -> str:
        """Add what is behind the point, with its sign."""
        whole = self.add("Mul", self.add("Sign", value), self.add("Floor", self.add("Abs", value)))
        return self.add("Sub", value, whole)


def write_onnx(path: str | os.PathLike[str], links: Sequence[Link], facts: Mapping[str, str]) -> None:
    """Write links as one model that takes ``rows`` and gives ``reduced`` or ``predicted``."""
    try:
        import onnx
    except ImportError as error:
        raise EigenveilError("ERR_ONNX_MISSING", "to_onnx needs a package: pip install onnx") from error
    graph = _Graph()
    out = "reduced" if links[-1].target is None else "predicted"
    at = "rows"
    for number, link in enumerate(links):
        at = _add_link(graph, link, at, out if number == len(links) - 1 else None)
    make = onnx.helper
    model = make.make_model(
        make.make_graph(
            graph.nodes,
            "eigenveil",
            [make.make_tensor_value_info("rows", onnx.TensorProto.DOUBLE, ["n", len(links[0].names)])],
            [make.make_tensor_value_info(out, onnx.TensorProto.DOUBLE, ["n", len(links[-1].weights)])],
            graph.constants,
        ),
        producer_name="eigenveil",
        opset_imports=[make.make_opsetid("", _OPSET)],
    )
    model.ir_version = _FORMAT
    make.set_model_props(model, dict(facts))
    onnx.checker.check_model(model)
    onnx.save(model, os.fspath(path))


def _add_link(graph: _Graph, link: Link, rows: str, name: str | None) -> str:
    """Clip, scale, round and sum, as `Link.apply` does."""
    low, high = graph.constant(link.low), graph.constant(link.high)
    span = link.high - link.low
    clipped = graph.add("Min", graph.add("Max", rows, low), high)
    place = graph.add("Sub", graph.add("Sub", clipped, low), graph.add("Sub", high, clipped))
    scaled = graph.add("Div", place, graph.constant(np.where(span > 0, span, 1.0)))
    fine = graph.add("Mul", scaled, graph.constant(2.0**link.fraction_bits))
    doubled = graph.add("Add", fine, graph.fraction(fine))
    rounded = graph.add("Sub", doubled, graph.fraction(doubled))
    # 0 of a finite cell, NaN of another one, which clipping would hide.
    marked = graph.add("Add", rounded, graph.add("Sub", rows, rows))
    sums = graph.add("MatMul", marked, graph.constant(np.ascontiguousarray(link.weights.T)))
    return graph.add("Add", sums, graph.constant(link.starts - link.offsets), name=name)
