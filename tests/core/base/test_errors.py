"""What goes wrong is a sentence, whatever the files are called."""

from errorflow.base.errors import ErrorflowError, FileError, of_machine, one_line


def test_a_name_with_a_line_break_is_one_line() -> None:
    assert one_line("a\nb\r\u2028c.onnx") == "a↵b↵↵c.onnx"


def test_a_name_breaks_no_sentence() -> None:
    assert FileError("There is no file a\nb.onnx.", "Check the path.").message == "There is no file a↵b.onnx."


def test_a_sentence_stays_as_it_is_on_its_way() -> None:
    error = ErrorflowError("It is not there.", "Look\nelsewhere.")
    assert of_machine(error) is error and error.hint == "Look\nelsewhere."
