"""A model as one C99 header: no allocation, no library, no floating point but comparisons.

Numbers are compared as double, in hexadecimal literals that every compiler reads as the same value; votes are
whole numbers. The probability of two classes is looked up by the vote; more classes need a function that is
compiled only if asked for. Texts are UTF-8.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clausal.encoding.columns import Category
from clausal.export.document import Calibration, ColumnRecord, FeatureRecord, Probability, RuleDocument
from clausal.export.self_test import Expected
from clausal.untrusted import short_repr

_OTHER, _MISSING, _NO_RULE, _REFUSED = -1, -2, -3, -4  # what a category that is not listed becomes
_CODES = {"other": _OTHER, "missing": _MISSING, "no_rule": _NO_RULE, "refused": _REFUSED}
_MOST_PROBABILITIES = 4096  # in the table of a header
_MOST_BYTES = 4095  # of a string literal in C99
_LARGEST = "0x1.fffffffffffffp+1023"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")


def to_c(document: RuleDocument, self_test: Sequence[Expected], name: str = "model") -> str:
    """The header; every name that it defines begins with `name`."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise ValueError(
            "The 'name' parameter of export must be at most 61 letters, digits and _, the first a letter. "
            f"Got {short_repr(name)}."
        )
    return _Header(document, name).text(self_test)


class _Header:
    """The parts of the header of a model, whose names begin with `name`."""

    def __init__(self, document: RuleDocument, name: str) -> None:
        self._document, self._name = document, name
        self._unit = document.whole_units("C")
        ranges = [document.vote_range(bank) for bank in range(len(document.constants))]
        self._wide = any(abs(end) * self._unit >= 2**31 for ends in ranges for end in ends)
        self._fields = [f"x{feature.index}_{_identifier(feature.name)}" for feature in document.features]

    def text(self, self_test: Sequence[Expected]) -> str:
        """The whole header."""
        guard = f"{self._name.upper()}_H"
        parts = [
            self._head(),
            f"#ifndef {guard}\n#define {guard}\n",
            "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n",
            "#ifdef __FAST_MATH__\n#error a missing number is NAN, which -ffast-math does not know\n#endif\n",
            self._types(),
            "" if self._document.outcome.is_numeric else self._class_names(),
            *self._code_functions(),
            self._score(),
            self._probability(),
            self._self_test(self_test),
            "#endif\n",
        ]
        return "\n".join(part for part in parts if part)

    def _head(self) -> str:
        name, unit = self._name, "" if self._unit == 1 else f" in units of 1/{self._unit}"
        predicted = f"the index of the predicted class, whose name is\n   {name}_class(index)"
        if self._document.outcome.is_numeric:
            predicted = "the predicted number, in floating point"
        return (
            "/* A model of rules, written by clausal.\n"
            f"   {name}_score fills a {name}_result from a {name}_case:\n"
            f"   votes{unit}, which rules hold, and {predicted}.\n"
            "   It returns 0, or 1 + the place of the feature for which the model\n"
            f"   refuses the case. With {name.upper()}_SELF_TEST defined, {name}_self_test() returns 0 if\n"
            "   known cases are scored as they should be, else 1 + the index of the first that is not. */\n"
        )

    def _types(self) -> str:
        members = [
            f"  {'const char *' if feature.holds_text else 'double '}{field}; "
            f"/* {_comment(feature.name)}: {_KINDS[_kind(feature)]} */\n"
            for feature, field in zip(self._document.features, self._fields, strict=True)
        ]
        number, n_banks = "int64_t" if self._wide else "int32_t", len(self._document.constants)
        override = "  int override; /* the index of the one that decides, -1 if none does */\n"
        override = override if self._document.overrides else ""
        return (
            f"typedef struct {{\n{''.join(members or ['  char none;'])}}} {self._name}_case;\n\n"
            f"typedef struct {{\n  {self._decided};\n{override}  {number} votes[{n_banks}];\n"
            f"  unsigned char fires[{max(len(self._document.rules), 1)}];\n}} {self._name}_result;\n"
        )

    def _class_names(self) -> str:
        names = ", ".join(_string(str(label)) for label in self._document.labels)
        return (
            f"static inline const char *{self._name}_class(int index) {{\n"
            f"  static const char *const names[] = {{{names}}};\n  return names[index];\n}}\n"
        )

    def _code_functions(self) -> Iterable[str]:
        """For each feature with categories the function that finds a category."""
        for feature in self._document.features:
            if not feature.categories:
                continue
            texts = feature.holds_text
            kind, absent = ("const char *", "value == NULL") if texts else ("double ", "value != value")
            equal = "strcmp(value, known[i]) == 0" if texts else "value == known[i]"
            listed = ", ".join(map(_category, feature.categories))
            yield (
                f"static inline int {self._name}_code{feature.index}({kind}value) {{\n"
                f"  static {kind}const known[] = {{{listed}}};\n  int i;\n"
                f"  if ({absent}) return {_CODES[feature.if_missing]};\n"
                f"  for (i = 0; i < {len(feature.categories)}; i++) if ({equal}) return i;\n"
                f"  return {_CODES[feature.if_unknown]};\n}}\n"
            )

    def _score(self) -> str:
        document, name = self._document, self._name
        lines = [*self._checks()]
        for bank, constant in enumerate(document.constants):
            lines.append(f"result->votes[{bank}] = {self._points(constant)};")
        for index, rule in enumerate(document.rules):
            lines.append(f"/* {_comment(rule.text)} */")
            lines.append(f"result->fires[{index}] = (unsigned char)({self._tests(rule.literals)});")
            points = f"result->votes[{rule.bank}] += {self._points(rule.points)};"
            lines.append(f"if (result->fires[{index}]) {points}")
        lines += [*self._overrides(), *self._decision(), "return 0;"]
        unused = "" if document.features else "  (void)row;\n"
        body = "".join(f"  {line}\n" for line in lines)
        head = f"static inline int {name}_score(const {name}_case *row, {name}_result *result)"
        return f"{head} {{\n{unused}{body}}}\n"

    def _checks(self) -> Iterable[str]:
        """What refuses a row."""
        for feature, field in zip(self._document.features, self._fields, strict=True):
            if feature.categories:
                yield f"const int c{feature.index} = {self._name}_code{feature.index}(row->{field});"
        for place, (feature, field) in enumerate(zip(self._document.features, self._fields, strict=True)):
            value, tests = f"row->{field}", []
            if feature.categories:
                if "refused" in (feature.if_missing, feature.if_unknown):
                    tests.append(f"c{feature.index} == {_REFUSED}")
            elif feature.if_missing == "refused":
                tests.append(f"{value} != {value}")
            if feature.kind == "boolean":
                tests.append(f"({value} == {value} && {value} != 0.0 && {value} != 1.0)")
            elif not feature.holds_text:
                tests.append(f"{value} > {_LARGEST} || {value} < -{_LARGEST}")
            if tests:
                yield f"if ({' || '.join(tests)}) return {place + 1};"

    def _tests(self, literals: Iterable[int]) -> str:
        """Conditions that must all hold."""
        return " && ".join(self._test(*self._document.signed_column(k)) for k in literals) or "1"

    def _overrides(self) -> Iterable[str]:
        """What returns before the votes decide."""
        for index, override in enumerate(self._document.overrides):
            yield f"/* override: {_comment(override.text)} */"
            found = f"result->override = {index}; result->decided = {override.class_index};"
            yield f"if ({self._tests(override.literals)}) {{ {found} return 0; }}"
        if self._document.overrides:
            yield "result->override = -1;"

    def _test(self, column: ColumnRecord, negated: bool) -> str:
        """A condition in C."""
        feature = self._document.features[column.feature]
        if feature.categories:
            return _category_test(f"c{feature.index}", column, negated, feature)
        value = f"row->{self._fields[column.feature]}"
        if column.kind == "missing":
            return f"{value} {'==' if negated else '!='} {value}"
        if column.kind == "true":
            positive, opposite = f"{value} == 1.0", f"{value} == 0.0"
        else:
            assert column.value is not None
            mark = float(column.value).hex()
            positive, opposite = f"{value} <= {mark}", f"{value} > {mark}"
            if column.kind == "equal":
                positive, opposite = f"{value} == {mark}", f"({value} < {mark} || {value} > {mark})"
            elif feature.special:
                marks = [float(number).hex() for number in feature.special]
                positive = "".join([f"({positive}", *(f" && {value} != {number}" for number in marks), ")"])
                opposite = "".join([f"({opposite}", *(f" || {value} == {number}" for number in marks), ")"])
        if not negated:
            return positive
        return f"!({positive})" if feature.if_missing == "missing" else opposite

    @property
    def _decided(self) -> str:
        """What is predicted, in a result."""
        return "double number" if self._document.outcome.is_numeric else "int decided"

    def _number(self) -> Iterable[str]:
        """The number that follows from the vote."""
        numbers = self._document.outcome.numbers
        texts = {name: float(n).hex() for name, n in numbers.items() if math.isfinite(n)}
        vote = f"(double)result->votes[0] / {self._unit}.0"
        yield f"result->number = {texts['offset']} + {texts['unit']} * ({vote});"
        for name, sign in (("low", "<"), ("high", ">")):
            if name in texts:
                yield f"if (result->number {sign} {texts[name]}) result->number = {texts[name]};"

    def _decision(self) -> Iterable[str]:
        if self._document.outcome.is_numeric:
            yield from self._number()
            return
        cases = self._document.outcome.decision_list()
        for case in cases[:-1]:
            tests = [
                f"result->votes[{test.bank}] {'<' if test.below else '>='} "
                f"{self._points(test.cut_off) if test.other is None else f'result->votes[{test.other}]'}"
                for test in case.tests
            ]
            yield f"if ({' && '.join(tests)}) {{ result->decided = {case.class_index}; return 0; }}"
        yield f"result->decided = {cases[-1].class_index};"

    def _probability(self) -> str:
        """A table by the vote for two classes; else a function that computes, for those who ask for it."""
        document, name = self._document, self._name
        if document.probability is None:
            return ""
        low, high = (int(end * self._unit) for end in document.vote_range(0))
        if len(document.constants) > 1 or high - low >= _MOST_PROBABILITIES:
            return (
                f"#ifdef {name.upper()}_PROBABILITIES\n"
                f"/* The probability of each {name}_class, which takes floating point. */\n"
                f"static inline void {name}_probabilities(const {name}_result *result, double *shares) {{\n"
                f"{self._shares(document.probability)}}}\n#endif\n"
            )
        votes = np.arange(low, high + 1)[:, None] / self._unit
        table = document.probability.probabilities(document.outcome, votes)[:, 1].tolist()
        listed = ",\n    ".join(", ".join(p.hex() for p in table[i : i + 4]) for i in range(0, len(table), 4))
        return (
            f"/* The probability of {name}_class(1). */\n"
            f"static inline double {name}_probability(const {name}_result *result) {{\n"
            f"  static const double table[] = {{\n    {listed}}};\n"
            f"  return table[result->votes[0] - ({self._points(document.vote_range(0)[0])})];\n}}\n"
        )

    def _shares(self, method: Probability) -> str:
        """The statements that compute probabilities."""
        n_classes, vote = len(self._document.labels), f"(double)result->votes[{{}}] / {self._unit}.0"
        if len(self._document.constants) == 1:
            first = vote.format(0)
            if isinstance(method, Calibration):
                share = f"1.0 / (1.0 + exp(-({method.slope.hex()} * ({first}) + {method.offset.hex()})))"
            else:
                share = f"(1.0 + ({first} * {method.scale}.0 + 0.5) / {method.threshold}.5) / 2.0"
            return (
                f"  const double share = {share};\n"
                "  shares[1] = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;\n"
                "  shares[0] = 1.0 - shares[1];\n"
            )
        if isinstance(method, Calibration):
            start = (
                f"  double highest = {vote.format(0)};\n"
                f"  for (k = 1; k < {n_classes}; k++)\n"
                f"    if ({vote.format('k')} > highest) highest = {vote.format('k')};\n"
            )
            each = f"    shares[k] = exp({method.slope.hex()} * ({vote.format('k')} - highest));\n"
        else:
            start, reach = "", (method.threshold / method.scale).hex()
            each = (
                f"    const double vote = {vote.format('k')}, size = vote < 0.0 ? -vote : vote;\n"
                f"    const double q = (1.0 + vote / ((size > {reach} ? size : {reach}) + 1.0)) / 2.0;\n"
                f"    shares[k] = q / (q + {n_classes - 1}.0 * (1.0 - q));\n"
            )
        return (
            f"  double total = 0.0;\n  int k;\n{start}  for (k = 0; k < {n_classes}; k++) {{\n{each}"
            f"    total += shares[k];\n  }}\n  for (k = 0; k < {n_classes}; k++) shares[k] /= total;\n"
        )

    def _self_test(self, self_test: Sequence[Expected]) -> str:
        name, document = self._name, self._document
        rows = []
        for row in self_test:
            values = ", ".join(map(_value, document.features, row.values)) or "0"
            votes = ", ".join(self._points(vote) for vote in row.votes or [0] * len(document.constants))
            fires = "".join("01"[holds] for holds in row.fires)
            decided = "-1" if row.decided is None else str(row.decided)
            if document.outcome.is_numeric:
                decided = f"{int(row.decided is None)}, {float(row.decided or 0.0).hex()}"
            rows.append(f"    {{{{{values}}}, {decided}, {{{votes}}}, {_string(fires)}}},\n")
        n_banks, n_rules = len(document.constants), len(document.rules)
        wrong = (
            "    wrong = refused != (rows[i].decided < 0) || (!refused && got.decided != rows[i].decided);\n"
        )
        decided = "int decided"
        if document.outcome.is_numeric:  # up to rounding, as compilers may contract operations
            decided = "int refused; double number"
            wrong = (
                "    wrong = refused != rows[i].refused || (!refused && fabs(got.number - rows[i].number) >\n"
                "      1e-12 * (1e-280 + fabs(rows[i].number)));\n"
            )
        return (
            f"#ifdef {name.upper()}_SELF_TEST\nstatic inline int {name}_self_test(void) {{\n"
            f"  static const struct {{ {name}_case row; {decided}; int64_t votes[{n_banks}];\n"
            f"    const char *fires; }} rows[] = {{\n{''.join(rows)}  }};\n"
            f"  {name}_result got;\n  int i, k, refused, wrong;\n"
            f"  for (i = 0; i < {len(rows)}; i++) {{\n"
            f"    refused = {name}_score(&rows[i].row, &got) != 0;\n"
            f"{wrong}"
            f"    for (k = 0; !refused && k < {n_banks}; k++) wrong |= got.votes[k] != rows[i].votes[k];\n"
            f"    for (k = 0; !refused && !wrong && k < {n_rules}; k++)\n"
            "      wrong |= got.fires[k] != (rows[i].fires[k] == '1');\n"
            "    if (wrong) return i + 1;\n  }\n  return 0;\n}\n#endif\n"
        )

    def _points(self, points: int | float) -> str:
        """Points in whole units."""
        return f"INT64_C({int(points * self._unit)})" if self._wide else str(int(points * self._unit))


_KINDS = {
    "numeric": "a number, NAN if missing",
    "boolean": "0 or 1, NAN if missing",
    "code": "a category that is a number, NAN if missing",
    "text": "a category in UTF-8, NULL if missing",
}


def _kind(feature: FeatureRecord) -> str:
    return "text" if feature.holds_text else "code" if feature.categories else feature.kind


def _category_test(code: str, column: ColumnRecord, negated: bool, feature: FeatureRecord) -> str:
    """A condition on the code of a category."""
    others = f"({code} < 0 && {code} > {_NO_RULE})"  # missing, or a category like no other
    if column.kind == "missing":
        return f"{code} {'>=' if negated else '=='} {_OTHER if negated else _MISSING}"
    if column.kind == "is" and column.first == column.value:
        if not negated:
            return f"{code} == {column.value}"
        return f"({code} != {column.value} && {code} > {_NO_RULE})"
    if not negated:
        return f"({code} >= {column.first} && {code} <= {column.value})"
    below = f"({code} >= 0 && {code} < {column.first}) || " if column.first else ""
    return f"({below}{code} > {column.value} || {others})"


def _identifier(name: str) -> str:
    """A name as a part of an identifier."""
    return re.sub(r"[^A-Za-z0-9]+", "_", name)[:40]


def _comment(text: str) -> str:
    """A text that cannot end a comment, or begin one."""
    return "".join(c if c.isprintable() and c not in "*/\\?" else "_" for c in text)


def _string(text: str) -> str:
    """A string literal: ASCII, other bytes of the UTF-8 in octal, which always has three digits."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        data = b"\0"
    if b"\0" in data or len(data) > _MOST_BYTES:
        raise ValueError(
            f"Texts in C must be valid Unicode without NUL, of at most {_MOST_BYTES} bytes. "
            f"Got {short_repr(text)}."
        )
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data) + '"'


def _category(category: Category) -> str:
    return _string(category) if isinstance(category, str) else float(category).hex()


def _value(feature: FeatureRecord, value: Any) -> str:
    """A value of a self-test."""
    if value is None:
        return "NULL" if feature.holds_text else "NAN"
    return _category(value)
