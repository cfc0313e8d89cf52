"""Key-shaped text is masked before it leaves the machine; other code stays as it is."""

from __future__ import annotations

import pytest

from codequarry.secrets import MASK, mask_secrets


@pytest.mark.parametrize(
    "secret",
    [
        "sk" + "-proj-" + "Zz9" * 12,
        "AK" + "IA" + "QQQQWWWWEEEERRRR",
        "gh" + "p_" + "a1B2" * 9,
        "-----BEGIN " + "PRIVATE KEY-----\n" + "TUFSS1BFTQ==\n" * 4 + "-----END PRIVATE KEY-----",
        "xox" + "b-1234567890-abcdef",
    ],
)
def test_a_key_shaped_literal_is_masked_wherever_it_stands(secret: str):
    masked = mask_secrets(f"x = call({secret!r})\nA = '''{secret}'''\n")
    assert secret not in masked
    assert masked.count(MASK) >= 1


def test_a_value_assigned_to_a_secret_name_is_masked():
    text = 'DB_PASSWORD = "hunter2hunter2"\napi_key: "abcdefabcdef"\n'
    assert mask_secrets(text) == f'DB_PASSWORD = "{MASK}"\napi_key: "{MASK}"\n'


def test_ordinary_code_is_left_alone():
    text = "token = tokens[0]\npassword = ask()\nrisk-assessment-of-the-whole = 1\nkey = 'short'\n"
    assert mask_secrets(text) == text
