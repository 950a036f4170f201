"""Programs that write, read or answer wrongly: `python wrong_answers.py NAME`."""

import fcntl
import json
import os
import threading
import time

try:  # a script finds what lies beside it
    from protocol import Registry
except ImportError:
    from benchmarks.hostile.protocol import Registry

hostile = Registry()


@hostile("closed its output")
def closes_output(line):
    line.start()
    os.close(1)
    time.sleep(60)


@hostile("closed its input|no answer within")
def closes_input(line):
    line.start()
    os.close(0)
    time.sleep(60)


@hostile("before it was asked|more than one line")
def answers_ahead_and_stops_reading(line):
    line.start()
    while True:
        line.write(line.action())


@hostile("before it was asked|more than one line|answered question 0 instead of 1")
def answers_one_move_ahead(line):
    line.start()
    line.write(line.action())
    line.play()


@hostile("no answer within")
def stops_reading(line):
    line.start()
    time.sleep(60)


@hostile("did not read all")
def narrows_its_input_and_stops_reading(line):
    line.read()
    fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
    line.write('{"kind": "ready"}')
    time.sleep(60)


@hostile("answer of more than")
def floods_its_output(line):
    line.start()
    line.read()
    while True:
        os.write(1, b"x" * 65536)


@hostile("|error stream")
def floods_its_errors(line):
    def flood():
        while True:
            os.write(2, b"x" * 4096)

    threading.Thread(target=flood, daemon=True).start()
    line.start()
    line.play()


@hostile("error stream")
def writes_nothing_but_errors(line):
    line.start()
    while True:
        os.write(2, b"x" * 65536)


@hostile("no answer within")
def writes_half_an_answer(line):
    line.start()
    line.read()
    os.write(1, line.action().encode()[:20])
    time.sleep(60)


@hostile("no answer within")
def writes_one_byte_at_a_time(line):
    line.start()
    line.read()
    for byte in line.action().encode() * 50:
        os.write(1, bytes([byte]))
        time.sleep(0.05)


@hostile("more than one line")
def answers_twice(line):
    line.start()
    line.read()
    os.write(1, (line.action() + "\n" + line.action() + "\n").encode())
    time.sleep(60)


@hostile("")
def writes_a_giant_answer(line):
    line.start()
    while True:
        line.read()
        line.write(line.action(padding="x" * (1 << 20)))


@hostile("answer of more than")
def writes_too_giant_an_answer(line):
    line.start()
    line.read()
    line.write(line.action(padding="x" * (20 << 20)))
    time.sleep(60)


@hostile("no message")
def nests_a_million_lists(line):
    line.answer("[" * 1_000_000)


@hostile("no message")
def nests_arrays_in_arrays(line):
    inner = {"__array__": "", "dtype": "int32", "shape": [0]}
    line.answer(json.dumps({"kind": "action", "choice": {"__array__": inner, "dtype": "int32"}}))


@hostile("NaN is not JSON")
def answers_nan(line):
    line.answer('{"kind": "action", "choice": NaN}')


@hostile("1e999 is no number that a float64 holds")
def answers_infinite_numbers(line):
    line.answer('{"kind": "action", "choice": [[[1e999]]]}')


@hostile("no message")
def answers_an_endless_integer(line):
    line.answer('{"kind": "action", "choice": ' + "9" * 100_000 + "}")


@hostile("must be integers")
def answers_integers_beyond_64_bits(line):
    line.answer(json.dumps({"kind": "action", "choice": [[[2**100] * 16]]}))


@hostile("no message")
def claims_an_array_of_a_trillion(line):
    array = {"__array__": "AAAA", "dtype": "int32", "shape": [10**12]}
    line.answer(json.dumps({"kind": "action", "choice": array}))


@hostile("no message")
def shapes_an_array_with_texts(line):
    array = {"__array__": "AAAA", "dtype": "uint8", "shape": ["three"]}
    line.answer(json.dumps({"kind": "action", "choice": array}))


@hostile("dtype")
def sends_an_array_of_objects(line):
    line.answer('{"kind": "action", "choice": {"__array__": "", "dtype": "object", "shape": [0]}}')


@hostile("must be an array")
def sends_ragged_lists(line):
    line.answer('{"kind": "action", "choice": [[1, [2, 3]], 4]}')


@hostile("must be integers")
def sends_texts_as_choices(line):
    line.answer('{"kind": "action", "choice": [[["a"]]]}')


@hostile("answered question")
def numbers_its_answer_with_an_array(line):
    array = {"__array__": "AAAA", "dtype": "uint8", "shape": [3]}
    line.start()
    line.read()
    line.write(line.action(number=array))
    time.sleep(60)


@hostile("instead of 'action'")
def is_of_a_kind_that_is_a_list(line):
    line.answer('{"kind": ["action"], "choice": []}')


@hostile("must be an object")
def answers_null(line):
    line.answer("null")


@hostile("no message")
def answers_an_empty_line(line):
    line.answer("")


@hostile("no message")
def answers_bytes_that_are_no_text(line):
    line.start()
    line.read()
    os.write(1, bytes(range(11, 256)) + b"\n")
    time.sleep(60)


@hostile("raised list")
def raises_a_nested_error(line):
    line.answer(json.dumps({"kind": "error", "what": [["\x1b[2J" * 100]]}))


@hostile("raised ?[2J?[H")
def raises_what_would_clear_the_screen(line):
    line.answer(json.dumps({"kind": "error", "what": "\x1b[2J\x1b[H" * 1000}))


@hostile("answered question 7 instead of 0")
def answers_another_question(line):
    line.start()
    line.read()
    line.write(line.action(number=7))
    time.sleep(60)


@hostile("instead of 'ready'")
def never_is_ready(line):
    line.read()
    line.write('{"kind": "begin"}')
    time.sleep(60)


if __name__ == "__main__":
    hostile.run()
