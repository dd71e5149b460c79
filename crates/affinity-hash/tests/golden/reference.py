#!/usr/bin/env python3
"""docs/spec-hash.md in Python, written from the text of that page; standard library only.

    reference.py            checks the golden vectors beside this file
    reference.py --write    writes them
"""

import json
import sys
from decimal import Decimal, getcontext
from functools import cmp_to_key
from pathlib import Path

MASK = 2**64 - 1


# Integers --------------------------------------------------------------------------------------

def rotate_left(x, n):
    return ((x << n) | (x >> (64 - n))) & MASK


def mix13(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


# Entry hash: rapidhash V3 ----------------------------------------------------------------------

SECRET = [
    0x2D358DCCAA6C78A5, 0x8BB84B93962EACC9, 0x4B33A62ED433D4A3, 0x4D5A2DA51DE1AA47,
    0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x90ED1765281C388C,
]


def fold(a, b):
    product = a * b
    return (product & MASK) ^ (product >> 64)


SEED = fold(SECRET[2], SECRET[1])


def word(data, at, size=8):
    return int.from_bytes(data[at:at + size], "little")


def entry_hash(data):
    n = len(data)
    seed = SEED
    if n <= 16:
        rest = n
        if n >= 4:
            size = 8 if n >= 8 else 4
            seed ^= n
            a, b = word(data, 0, size), word(data, n - size, size)
        elif n > 0:
            a, b = data[0] << 45 | data[n - 1], data[n // 2]
        else:
            a, b = 0, 0
    else:
        at = 0
        if n > 112:
            lanes = [SEED] * 7
            while n - at > 112:
                for i in range(7):
                    lanes[i] = fold(word(data, at + 16 * i) ^ SECRET[i],
                                    word(data, at + 16 * i + 8) ^ lanes[i])
                at += 112
            seed = 0
            for lane in lanes:
                seed ^= lane
        rest = n - at
        for i, secret in enumerate([2, 2, 1, 1, 2, 1]):
            if rest > 16 * (i + 1):
                seed = fold(word(data, at + 16 * i) ^ SECRET[secret],
                            word(data, at + 16 * i + 8) ^ seed)
        a, b = word(data, n - 16) ^ rest, word(data, n - 8)
    product = (a ^ SECRET[1]) * (b ^ seed)
    low, high = product & MASK, product >> 64
    return fold(low ^ 0xAAAAAAAAAAAAAAAA, high ^ SECRET[1] ^ rest)


# SipHash-1-3 -----------------------------------------------------------------------------------

def siphash_1_3(key, data):
    k0, k1 = word(key, 0), word(key, 8)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def sip_round():
        v[0] = (v[0] + v[1]) & MASK
        v[1] = rotate_left(v[1], 13) ^ v[0]
        v[0] = rotate_left(v[0], 32)
        v[2] = (v[2] + v[3]) & MASK
        v[3] = rotate_left(v[3], 16) ^ v[2]
        v[0] = (v[0] + v[3]) & MASK
        v[3] = rotate_left(v[3], 21) ^ v[0]
        v[2] = (v[2] + v[1]) & MASK
        v[1] = rotate_left(v[1], 17) ^ v[2]
        v[2] = rotate_left(v[2], 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])
    for at in range(0, len(padded), 8):
        m = word(padded, at)
        v[3] ^= m
        sip_round()
        v[0] ^= m
    v[2] ^= 0xFF
    for _ in range(3):
        sip_round()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


# Chains ----------------------------------------------------------------------------------------

START = 0x243F6A8885A308D3
KIND = {"entry": 0, "tenant": 1, "model": 2, "salt": 3, "id": 4}


def tag(kind, data):
    return KIND[kind] << 56 | len(data) & (2**56 - 1)


def links(key, parts):
    """The link of each (kind, bytes); `key` is 16 bytes, or None in the public scope."""
    result = []
    state, stream = START, b""
    for kind, data in parts:
        if key is None:
            spun = rotate_left(state * 0x9E3779B97F4A7C15 & MASK, 32)
            state = mix13(spun ^ entry_hash(data) ^ tag(kind, data) * 0xD6E8FEB86659FD93 & MASK)
            result.append(state)
        else:
            stream += data + tag(kind, data).to_bytes(8, "little")
            result.append(siphash_1_3(key, stream))
    return result


def check_value(key):
    return siphash_1_3(key, b"affinity key check").to_bytes(8, "little")[:4]


# Rendezvous ------------------------------------------------------------------------------------

IDENTITY = 0x13198A2E03707344

getcontext().prec = 60
NEG_LN = {j: int((-(Decimal(j) / 256).ln() * 2**64).to_integral_value()) for j in range(128, 257)}


def neg_ln(score):
    odd = score | 1
    zeros = 64 - odd.bit_length()
    mantissa = odd << zeros
    below = (2**56 - 1) - mantissa % 2**56
    top = mantissa // 2**56 + 1
    z = below * 2**8 // top
    series = 2**64 // 5 + (z * (2**64 // 6) >> 64)
    series = 2**64 // 4 + (z * series >> 64)
    series = 2**64 // 3 + (z * series >> 64)
    series = 2**64 // 2 + (z * series >> 64)
    fraction = z + ((z * z >> 64) * series >> 64)
    return zeros * NEG_LN[128] + NEG_LN[top] + fraction + 1


def order(key, candidates):
    """Indices of (identity, weight) in the order for a 64-bit key."""
    ranked = []
    for index, (identity, weight) in enumerate(candidates):
        identity = identity.encode()
        score = mix13(key ^ entry_hash(identity) ^ IDENTITY)
        ranked.append((score, weight, identity, index))

    def compare(a, b):
        if a[1] != b[1]:
            if a[1] == 0 or b[1] == 0:
                return 1 if a[1] == 0 else -1
            left, right = neg_ln(a[0]) * b[1], neg_ln(b[0]) * a[1]
            if left != right:
                return -1 if left < right else 1
        if a[0] != b[0]:
            return -1 if a[0] > b[0] else 1
        return -1 if (a[2], a[3]) < (b[2], b[3]) else 1

    return [index for _, _, _, index in sorted(ranked, key=cmp_to_key(compare))]


# Vectors ---------------------------------------------------------------------------------------

def data_of(spec):
    """A text, or {"seed", "len"}: byte i is mix13(seed * 2^32 + i) mod 256."""
    if isinstance(spec, str):
        return spec.encode()
    return bytes(mix13(spec["seed"] << 32 | i) & 255 for i in range(spec["len"]))


def identities_of(spec):
    """A list of texts, or {"prefix", "count"}: the prefix and 0, 1, 2, ... in decimal."""
    if isinstance(spec, list):
        return spec
    return [f"{spec['prefix']}{i}" for i in range(spec["count"])]


def hexadecimal(number):
    return f"{number:016x}"


def draw(*seed):
    """A number from a sequence of its own."""
    state = 0
    for part in seed:
        state = mix13(state + part + 1)
    return state


KEYS = [bytes(range(16)).hex(), "00" * 16, "ff" * 16, "5b1f6e0c9a7d4283b6e5f01928374655"]
TEXTS = ["", "a", "ab", "c", "hello", "x\0", "x", "\0", "Grüße", "日本語のプロンプト", "🦀🦀",
         "e\u0301", "\u00e9", "You are a helpful assistant.", "0", " ", "line\nline"]
LENGTHS = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 81, 95, 96,
           97, 111, 112, 113, 127, 128, 129, 223, 224, 225, 239, 240, 241, 335, 336, 337, 448, 800,
           1000, 1024, 2047, 2999, 3000]
AMBIGUOUS = [[], [""], ["", ""], ["ab", "c"], ["a", "bc"], ["abc"], ["a", "b"], ["b", "a"],
             ["a", "a"], ["a", ""], ["", "a"], ["a"], ["x\0"], ["x"], ["\0", ""], ["", "\0"]]
SCOPES = [[], [["tenant", "X"], ["salt", ""]], [["tenant", ""], ["salt", "X"]], [["tenant", "X"]],
          [["model", "X"]], [["salt", "X"]], [["salt", "X"], ["tenant", "X"]], [["tenant", ""]],
          [["tenant", "acme"], ["model", "m-1"], ["salt", "日本"]]]


def chain_cases():
    for key in [None, KEYS[0]]:
        for entries in AMBIGUOUS:
            yield key, [], entries
        for scope in SCOPES:
            yield key, scope, ["X", ""]
            yield key, scope, []
        for seed, length in enumerate(LENGTHS):
            yield key, [], [{"seed": seed, "len": length}]
        for text in TEXTS:
            yield key, [], ["system", text, "end"]
    for case in range(80):
        entries = []
        for i in range(draw(case) % 8 + 1):
            if draw(case, i) % 3 == 0:
                entries.append(TEXTS[draw(case, i, 1) % len(TEXTS)])
            else:
                entries.append({"seed": draw(case, i, 2) % 2**32, "len": draw(case, i, 3) % 3001})
        yield [None, *KEYS][case % 5], SCOPES[draw(case, 9) % len(SCOPES)], entries


def write_chains():
    chains = []
    for key, scope, entries in chain_cases():
        parts = [(kind, data_of(text)) for kind, text in scope]
        parts += [("entry", data_of(entry)) for entry in entries]
        found = links(key and bytes.fromhex(key), parts)[len(scope):]
        chains.append({"key": key, "scope": scope, "entries": entries,
                       "links": [hexadecimal(link) for link in found]})
    ids = []
    for key in [None, *KEYS]:
        for i, scope in enumerate(SCOPES):
            text = TEXTS[(3 * i + 1) % len(TEXTS)]
            parts = [(kind, data_of(value)) for kind, value in scope] + [("id", data_of(text))]
            found = links(key and bytes.fromhex(key), parts)[-1]
            ids.append({"key": key, "scope": scope, "id": text, "fingerprint": hexadecimal(found)})
    checks = [{"key": key, "check_value": check_value(bytes.fromhex(key)).hex()} for key in KEYS]
    return {"chains": chains, "ids": ids, "check_values": checks}


LISTS = [[], ["a"], [""], ["a", "b"], ["a", "a"], ["a", "a", "b"], ["", "", ""], ["b", "a"],
         ["Zürich", "東京", "🦀", ""], ["n1", "n11", "n111"], ["1x", "x", "11x"], ["é", "e\u0301"]]


def order_cases():
    for i, identities in enumerate(LISTS):
        for text in ["", "session-1", "a", TEXTS[i % len(TEXTS)]]:
            yield text, identities
    for count in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 66, 100, 128, 129, 300]:
        for i in range(3):
            yield f"s-{count}-{i}", {"prefix": "acct-", "count": count}
        yield {"u64": hexadecimal(draw(count))}, {"prefix": "https://10.0.0.", "count": count}
    for i in range(80):
        count = draw(i, 1) % 24 + 1
        key = {"seed": i, "len": draw(i, 2) % 200} if i % 2 else {"u64": hexadecimal(i)}
        yield key, {"prefix": TEXTS[i % len(TEXTS)], "count": count}


def key_of(spec):
    if isinstance(spec, dict) and "u64" in spec:
        return int(spec["u64"], 16)
    return entry_hash(data_of(spec))


def write_orders():
    cases = []
    for key, identities in order_cases():
        found = order(key_of(key), [(text, 1) for text in identities_of(identities)])
        cases.append({"key": key, "identities": identities, "order": found})
    return {"orders": cases}


def weights_cases():
    for i, weights in enumerate([[], [0], [5], [0, 0], [0, 1], [1, 0, 1], [7, 7, 7], [2**32 - 1, 1],
                                 [2**32 - 1] * 3, [1, 2, 3, 10], [0, 0, 1, 2**32 - 1], [3, 1, 0]]):
        for text in ["", "session-1", f"s-{i}"]:
            yield text, {"prefix": "acct-", "count": len(weights)}, weights
    yield "session-1", ["a", "a", "b"], [1, 5, 2]
    yield "session-2", ["a", "a", "b"], [5, 5, 0]
    yield "session-3", ["", "", ""], [1, 2, 3]
    for i in range(80):
        count = [3, 8, 16, 17, 40, 64, 65, 90][i % 8] if i < 76 else 300
        choices = [[1, 2, 3, 10], [0, 1], [1, 1000], [1, 2**32 - 1]]
        pool = choices[i // 8 % 5] if i // 8 % 5 < 4 else list(range(1, count + 1))
        weights = [pool[draw(i, j) % len(pool)] for j in range(count)]
        key = f"s-{i}" if i % 2 else {"u64": hexadecimal(draw(i))}
        yield key, {"prefix": "acct-", "count": count}, weights


def write_weighted():
    cases = []
    for key, identities, weights in weights_cases():
        found = order(key_of(key), list(zip(identities_of(identities), weights)))
        cases.append({"key": key, "identities": identities, "weights": weights, "order": found})
    logarithms = [0, 1, 2, 3, 255, 256, 2**32, 2**56 - 1, 2**56, 2**63 - 1, 2**63, 2**64 - 2**56,
                  2**64 - 2, 2**64 - 1] + [draw(i) >> i % 64 for i in range(100)]
    return {"weighted": cases,
            "neg_ln": [[hexadecimal(score), f"{neg_ln(score):x}"] for score in logarithms]}


def text_of(tables):
    """One case a line."""
    parts = []
    for name, cases in tables.items():
        lines = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":"))
                           for case in cases)
        parts.append(f'"{name}": [\n{lines}\n]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    here = Path(__file__).parent
    for n, published in enumerate(json.loads((here / "siphash-1-3.json").read_text())):
        found = siphash_1_3(bytes(range(16)), bytes(range(n)))
        assert found.to_bytes(8, "little").hex() == published, f"SipHash-1-3 of {n} bytes"
    stale = []
    for name, tables in [("chains", write_chains()), ("orders", write_orders()),
                         ("weighted", write_weighted())]:
        path, text = here / f"{name}.json", text_of(tables)
        if "--write" in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
        print(f"{path.name}: {', '.join(f'{len(cases)} {what}' for what, cases in tables.items())}")
    if stale:
        sys.exit(f"not what the specification says: {', '.join(stale)}")


if __name__ == "__main__":
    main()
