"""The command and the renderer that it starts, as they are used: in processes of their own."""

import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from generate import of_size
from PySide6.QtGui import QImage

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Cancelled
from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.report.request import Request, render_by_viewer

MODEL = str(SAMPLES[0].model)
DATA = Path(__file__).parents[2] / "data"
ATC = str(DATA / "ascend_models" / "s1_fusion.json")
PIXELS = re.compile(r"([\d,]+) × ([\d,]+) px")


def _renderer(
    request: bytes, command: tuple[str, ...] = ("-m", "errorflow_viewer.export.main")
) -> tuple[int, list[object]]:
    done = subprocess.run([sys.executable, *command], input=request, capture_output=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


class TestCommand:
    @pytest.mark.parametrize("model", [MODEL, ATC], ids=["onnx", "atc-json"])
    def test_a_png_is_what_it_says(self, tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["render", model, "-o", str(tmp_path / "graph.png"), "--expand", "all"]) == 0

        said = PIXELS.search(capsys.readouterr().out)
        assert said is not None
        image = QImage(str(tmp_path / "graph.png"))
        assert [image.width(), image.height()] == [int(number.replace(",", "")) for number in said.groups()]

    def test_a_pdf_has_a_page(self, tmp_path: Path) -> None:
        assert main(["render", MODEL, "-o", str(tmp_path / "graph.pdf"), "--theme", "dark"]) == 0

        assert b"/MediaBox" in (tmp_path / "graph.pdf").read_bytes()

    def test_tiles_come_with_their_page(self, tmp_path: Path) -> None:
        assert main(["render", MODEL, "-o", str(tmp_path / "graph.png"), "--tile", "300", "--width", "900"]) == 0

        names = {path.name for path in tmp_path.iterdir()}
        assert {"graph.html", "graph-r0-c0.png", "graph-r0-c2.png"} <= names
        assert sum(QImage(str(tmp_path / f"graph-r0-c{column}.png")).width() for column in range(3)) == 900

    def test_themes_differ(self, tmp_path: Path) -> None:
        for theme in ("light", "dark"):
            main(["render", MODEL, "-o", str(tmp_path / f"{theme}.png"), "--theme", theme])

        light, dark = (
            QImage(str(tmp_path / f"{theme}.png")).pixelColor(0, 0).lightness() for theme in ("light", "dark")
        )
        assert light > 200 > 60 > dark

    @pytest.mark.parametrize("name", ["graph.png", "graph.pdf"])
    def test_a_model_that_cannot_be_read_is_a_sentence(
        self, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / name).write_bytes(b"old")

        assert main(["render", str(tmp_path / "gone.onnx"), "-o", str(tmp_path / name)]) == 2
        assert "There is no file" in capsys.readouterr().err
        assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]

    @pytest.mark.parametrize("name", ["graph.svg", "graph.pdf"])
    def test_tiles_of_what_has_no_pixels_are_refused(
        self, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["render", MODEL, "-o", str(tmp_path / name), "--tile", "300"]) == 2

        assert "has no tiles" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []


class TestRenderer:
    def test_it_tells_its_steps_and_its_end(self, tmp_path: Path) -> None:
        code, lines = _renderer(json.dumps({"file": MODEL, "output": str(tmp_path / "graph.png")}).encode())

        assert code == 0
        assert all(isinstance(line, dict) for line in lines)
        assert [list(line) for line in lines if isinstance(line, dict)][-1] == ["done"]
        assert {key for line in lines if isinstance(line, dict) for key in line} == {"step", "done"}

    def test_the_app_is_a_renderer_too(self, tmp_path: Path) -> None:
        request = json.dumps({"file": MODEL, "output": str(tmp_path / "graph.pdf")}).encode()

        code, _ = _renderer(request, ("-m", "errorflow_viewer.app.start", "--render"))
        assert code == 0
        assert (tmp_path / "graph.pdf").exists()

    @pytest.mark.parametrize(
        "request_",
        [b"", b"{", b"[]", b"{}", b'{"file": 1, "output": "x.png"}', b'{"file": "a", "output": "b.png", "view": "up"}'],
    )
    def test_a_broken_request_is_a_sentence(self, request_: bytes) -> None:
        code, lines = _renderer(request_)

        assert code == 2
        assert [list(line) for line in lines if isinstance(line, dict)] == [["error"]]

    def test_without_qt_it_says_so(self, tmp_path: Path) -> None:
        hide = (
            "import sys; sys.modules['PySide6'] = None; from errorflow_viewer.export.main import main; sys.exit(main())"
        )
        code, lines = _renderer(
            json.dumps({"file": MODEL, "output": str(tmp_path / "graph.png")}).encode(), ("-c", hide)
        )

        assert code == 2
        assert "Qt could not be loaded" in str(lines[-1])


class TestFromOutside:
    """What the command makes of a renderer that does not do its work."""

    @pytest.fixture(autouse=True)
    def nothing_written(self, tmp_path: Path) -> Iterator[None]:
        yield
        assert list(tmp_path.iterdir()) == []

    @pytest.fixture
    def request_(self, tmp_path: Path) -> Request:
        return Request(MODEL, str(tmp_path / "graph.png"))

    def _run(self, request_: Request, code: str, progress: Callable[[int, int, str], None] | None = None) -> str:
        command = [sys.executable, "-c", code]
        if progress is None:
            return render_by_viewer(request_, command=command)
        return render_by_viewer(request_, _Told(progress), command)

    def test_a_crash_is_a_sentence(self, request_: Request) -> None:
        with pytest.raises(ErrorflowError, match=r"crashed \(SIGSEGV\)") as caught:
            self._run(
                request_, "import os, sys; print('last words', file=sys.stderr, flush=True); os.kill(os.getpid(), 11)"
            )

        assert "last words" in str(caught.value.__cause__)

    def test_silence_is_a_sentence(self, request_: Request) -> None:
        with pytest.raises(ErrorflowError, match=r"crashed \(code 0\)"):
            self._run(request_, "pass")

    def test_what_libraries_print_is_passed_over(self, request_: Request) -> None:
        assert (
            self._run(request_, "print('hello'); print('{\"done\": [\"x\", \"all is well\"]}'); print('[1]')")
            == f"{Path(request_.output).with_name('x')}: all is well"
        )

    def test_a_cancel_ends_it(self, request_: Request) -> None:
        def cancel(done: int, total: int, text: str) -> None:
            raise Cancelled

        with pytest.raises(Cancelled):
            self._run(request_, "import time; time.sleep(1000)", cancel)

    def test_its_steps_are_passed_on(self, request_: Request) -> None:
        steps = []

        def note(done: int, total: int, text: str) -> None:
            steps.append((done, total, text))
            if steps[-1] == (3, 4, "Painting"):
                raise Cancelled

        with pytest.raises(Cancelled):
            self._run(
                request_, 'import time; print(\'{"step": [3, 4, "Painting"]}\', flush=True); time.sleep(1000)', note
            )

    def test_no_such_program_is_a_sentence(self, request_: Request) -> None:
        with pytest.raises(ErrorflowError, match="could not be started"):
            render_by_viewer(request_, command=["/nowhere/at/all"])


class _Told:
    def __init__(self, step: Callable[[int, int, str], None]) -> None:
        self.step = step


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "decoder.onnx"
    of_size(10_000).write(path)
    return path


class TestLarge:
    @pytest.mark.parametrize(
        ("name", "options", "megabytes"),
        [("graph.svg", [], 700), ("graph.png", ["--scale", "0.25"], 2000), ("graph.pdf", [], 2000)],
    )
    def test_10_000_nodes_need_little_memory(
        self, decoder: Path, tmp_path: Path, name: str, options: list[str], megabytes: int
    ) -> None:
        limit = megabytes * 1024**2  # of addresses, which are several times what is used
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "errorflow.cli.main",
                "render",
                decoder,
                "-o",
                tmp_path / name,
                "--expand",
                "all",
                *options,
            ],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
            capture_output=True,
            text=True,
            check=False,
        )

        assert (done.returncode, done.stderr) == (0, "")
        assert (tmp_path / name).stat().st_size > 100_000
