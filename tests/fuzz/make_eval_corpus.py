#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make_eval_corpus.py: writes the seeds of the fuzzers of judged runs to tests/fuzz/corpus. Run it after a change."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
LITERALS = (b"N", b"l4:NTFi-12;", b"f1.5;", b"fnan;", b"s3:abc", b"b2:\xff\0", b"t2:l0:d1:s1:ki1;", b"e2:i1;i2;",
            b"os3:Foos4:repr", b"d2:i1;Ni1;N", b"l99999999999:", b"s5:abc", b"i00;", b"f1e999;", b"l1:" * 120 + b"N",
            b"i123456789012345678901234567890;", b"d1:t2:i1;f2.0;e1:s2:\xc3\xa9",
            b"l3:xs7:Decimals3:1.5xs9:frozensete1:i1;xs5:dequet2:l1:i1;N", b"l2:l0:xs4:samei1;", b"l1:xs4:samei1;", b"xs7:Decimali1;",
            b"l1:t2:i2;xs8:argumenti2;")
ANSWERS = (b"l4:s1:Rs4:listl2:i1;d1:s1:af2.5;N", b"l4:s1:Rs5:floatf0.5000000001;N", b"l4:s1:Rs3:strNs2:x\n",
           b"l5:s1:Es12:TimeoutErrors3:abci3;N", b"l5:s1:Us11:LookupErrors2:noi0;N", b"l4:s1:Ts1:xs3:whyN",
           b"l4:s1:Rs3:sete2:i1;i1;N", b"l4:s1:Rs1:xos1:xs1:yN", b"l4:s1:R", b"N")
CASES = (b'[{"args":[1,"x"],"kwargs":{"k":null},"expected":null,"weight":2,"name":"n"}]',
         b'{"cases":[{"expected":{"$set":[1,2]},"compare":"set"}]}', b'[{"expected":[1.5],"compare":{"close":{"rel":1e-3,"abs":0}}}]',
         b'[{"expected":"a\\nb \\n","compare":{"stdout":{"trim":false}}}]', b'[{"stdin":"1\\n","expected":"2"}]',
         b'[{"expected_exception":{"type":"KeyError","message_re":"^[^\\\\d]+(?:a|b)??$"}}]', b'[{"expected_type":"dict"}]',
         b'[{"expected":{"$dict":[[1,{"$tuple":[2]}]],"x":1}}]', b'[{"expected":{"$float":"nan"}}]', b'[{"expected":{"$bytes":"AP8="}}]',
         b'[{"expected":"\\ud83d\\ude00\\ud800"}]', b'[{"a":1,"\\u0061":2}]', b"[" * 110, b'[{"expected":-0}]', b'[{"expected":NaN}]')


def frame(payload, kind=b"A", number=7):
    return kind + b"\0\0\0" + len(payload).to_bytes(4, "little") + number.to_bytes(8, "little") + payload


def write(target, prefix, texts):
    home = os.path.join(HERE, "corpus", target)
    os.makedirs(home, exist_ok=True)
    for n, data in enumerate(texts):
        with open(os.path.join(home, f"{prefix}{n:02}"), "wb") as f:
            f.write(data)


def main():
    seeds = {"eval_literal": LITERALS, "eval_cases": CASES,
             "eval_report": (*ANSWERS, *map(frame, ANSWERS), b"A\0\0\0\xff\xff\xff\xff" + bytes(8), frame(b"", b"L") + frame(b"i0;", b"E"))}
    for target, texts in seeds.items():
        write(target, "", texts)
    write("json", "cases-", CASES)


if __name__ == "__main__":
    main()
