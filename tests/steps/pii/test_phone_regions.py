"""The gate before libphonenumber refuses no number that libphonenumber calls valid."""

from __future__ import annotations

import re

import numpy as np
import phonenumbers
import pytest

from gpucurate.steps.pii.config import REGIONS
from gpucurate.steps.pii.phone_regions import KINDS, gate


@pytest.mark.parametrize("region", [*REGIONS, "JP", "AR", "CN"])
def test_valid_numbers_pass(region: str) -> None:
    random = np.random.default_rng(13)
    pattern, country = gate(phonenumbers, region), phonenumbers.country_code_for_region(region)
    checked = 0
    for number_type in range(len(KINDS)):
        example = phonenumbers.example_number_for_type(region, number_type)
        if example is None:
            continue
        plain = phonenumbers.national_significant_number(example)
        for _ in range(6):
            digits = list(plain)
            for place in random.integers(len(plain), size=random.integers(0, 4)):
                digits[place] = str(random.integers(10))
            for text in ("".join(digits), "0" + "".join(digits), f"{country}{''.join(digits)}"):
                try:
                    number = phonenumbers.parse(text, region)
                except phonenumbers.NumberParseException:
                    continue
                if phonenumbers.is_valid_number_for_region(number, region):
                    checked += 1
                    assert pattern.fullmatch(text), (region, text)
    assert checked > 10
    assert pattern.fullmatch("1" * 3) is None or pattern.pattern == re.compile(r"\d+").pattern


@pytest.mark.parametrize("region", ["US", "CA"])
def test_of_ten_digits_the_gate_is_the_answer(region: str) -> None:
    random = np.random.default_rng(17)
    pattern, valid = gate(phonenumbers, region), 0
    for drawn in random.integers(2_000_000_000, 9_999_999_999, 3_000):
        number = phonenumbers.parse(f"{drawn}", region)
        expected = phonenumbers.is_valid_number_for_region(number, region)
        assert (pattern.fullmatch(f"{drawn}") is not None) is expected, drawn
        valid += expected
    assert 50 < valid < 2_950
