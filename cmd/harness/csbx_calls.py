# SPDX-License-Identifier: Apache-2.0
"""Which tests were called, and which of them came back by themselves: the core's own account, by the names of the tests.

A report goes by hooks of pytest's and of others, and objects on that way may say one thing to those who ask early, and another to
those who ask late. What a record says when it is sent is compared with this account, which has another source: the witness that
stands between the runner and the test.
"""
import builtins

__builtins__ = dict(vars(builtins))  # what tested code replaces is not ours

CALLED, ENTERED, RETURNED, FAILED = range(4)  # FAILED: by another exception than those by which tests skip themselves


def make_calls(found):
    """
    (note(name, test, of, is_to_return), (note_level(name, test, level, names), lost_at(test)), is_at(name, test), is_over(),
    (expected, may fail), look_at(report), is_done_with(report)). of: the test's name in its report; is_to_return: it is called as the
    runner itself does. expected: names of those that are to be called so; may fail: of those that the tests expect to fail. level: 0 for the
    test as it is called, 1 for what its outermost wrapper calls, and so on; names: of the classes of what that raised.
    """
    called, entered, returned, failed, text_type, plain = CALLED, ENTERED, RETURNED, FAILED, str, str.__str__
    armed = inside = back = now = None
    none = (None, None)
    is_done, expected, may_fail, calls, _type = True, set(), set(), {}, type
    levels, lost, surely, len_of, list_type = {}, [], [], len, list

    def plain_word(value):
        if _type(value) is not text_type:
            found("report_call", "a report has a word that is no plain text")
        return plain(value) if issubclass(_type(value), text_type) else ""

    def note(name, test, of, is_to_return):
        """The test that was called last, and whether it came back by itself. Each is entered once for a call."""
        nonlocal armed, inside, back, now, is_done
        if name == "call":
            if not is_done:
                found("report_call", "a test was called anew within its call")
            armed, inside, back, is_done, now = test, None, None, False, plain_word(of)
            calls[now] = called, is_to_return
            for one in (levels, lost, surely):
                one.clear()
        elif name == "over":
            is_done = True
        elif name == "enter":
            inside, armed, back = test if test is armed else None, None, None
            if inside is not None:
                calls[now] = entered, calls[now][1]
        elif name == "raise":
            if test is inside:
                calls[now] = failed, calls[now][1]
        elif name == "swallowed":
            if test is inside:
                back, calls[now] = None, (failed, calls[now][1])
        else:
            back = test if test is inside else None
            is_done = False  # a part of the test may have been reported meanwhile
            if back is not None:
                calls[now] = returned, calls[now][1]

    def note_level(name, test, level, names):
        """What a wrapper of the test calls, and whether the wrapper came back though that did not. None: it was not called at all."""
        if name == "levels":
            surely.extend(level)
        elif test is not inside:
            pass
        elif name == "enter":
            levels[level], levels[level + 1] = entered, None
        elif name == "raise":
            levels[level] = names
        else:
            levels[level], within = returned, levels.get(level + 1)
            if level < len_of(surely) and within is not returned and (surely[level] or _type(within) is list_type):
                lost.append((level, within if _type(within) is list_type else None))

    def lost_at(test):
        return list_type(lost) if test is inside else []

    def is_over():
        return is_done

    def is_at(name, test):
        return back is test if name == "returned" else inside is test and back is not inside

    def came_back(test):
        if test not in calls:
            return test not in expected
        state, is_to_return = calls[test]
        return state == returned or (state == called and not is_to_return)

    def look_at(report):
        """Tells of a report that says more than was seen. The report, of plain words."""
        report = dict(report, **{k: plain_word(report[k]) for k in ("id", "when", "outcome")})
        if report["alt"] is not None:
            report["alt"] = plain_word(report["alt"])
        test = report["id"] if report["alt"] is None else report["alt"]
        if report["when"] == "call" and report["outcome"] == "passed" and not report["part"] and not came_back(test):
            found("test_replaced", "%s is said to have passed, and did not come back from its call" % test)
        if report["when"] == "call" and report["outcome"] == "skipped" and test not in may_fail and calls.get(test, none)[0] == failed:
            found("outcome_call", "%s is said to be skipped, or expected to fail, and has raised another exception" % test)
        return report

    def is_done_with(report):
        """True for a test that came back from the last call: what can be replaced was looked at when that was over."""
        test = report["id"] if report["alt"] is None else report["alt"]
        return is_done and test == now and report["outcome"] == "passed" and calls[test][0] == returned
    return note, (note_level, lost_at), is_at, is_over, (expected, may_fail), look_at, is_done_with
