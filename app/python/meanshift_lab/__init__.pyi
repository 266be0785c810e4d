from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy
from numpy.typing import NDArray

_Image = NDArray[numpy.uint8]
_Pair = Tuple[float, float]
_Progress = Optional[Callable[[int, int], object]]

class Error(RuntimeError): ...
class UsageError(Error, ValueError): ...

class Device(NamedTuple):
    address: str
    name: str
    platform: str
    driver: str
    kind: str

class ChannelStatistics(NamedTuple):
    count: int  # type: ignore[assignment]
    min: int
    max: int
    sum: int
    mean: float
    stddev: float
    median: float
    percentiles: Dict[int, float]
    nonzero: int
    histogram: NDArray[numpy.uint64]

class Region(NamedTuple):
    label: int
    pixels: int
    left: int
    top: int
    right: int
    bottom: int
    x: float
    y: float
    mean: Tuple[float, float, float]
    deviation: Tuple[float, float, float]
    neighbours: Tuple[int, ...]
    perimeter: int

class Regions(NamedTuple):
    labels: NDArray[numpy.uint32]
    table: List[Region]
    means: _Image

def filter(
    array: _Image,
    sp: float = ...,
    sr: float = ...,
    *,
    device: str = ...,
    out: Optional[_Image] = ...,
    band: Optional[Tuple[int, int]] = ...,
    progress: _Progress = ...,
    max_iterations: Optional[int] = ...,
    epsilon: Optional[float] = ...,
    rule: Optional[str] = ...,
    levels: Optional[int] = ...,
    space: Optional[str] = ...,
    memory: Optional[str] = ...,
    local_memory: Union[None, bool, str] = ...,
    unroll: Optional[int] = ...,
    access: Optional[str] = ...,
    work_group: Union[None, str, Tuple[int, int]] = ...,
    kernel: Optional[str] = ...,
    schedule: Optional[str] = ...,
) -> _Image: ...
def halo(sp: float = ..., max_iterations: int = ..., levels: int = ...) -> int: ...
def regions(
    array: _Image,
    sp: float = ...,
    sr: float = ...,
    *,
    min_pixels: int = ...,
    device: str = ...,
    progress: _Progress = ...,
    max_iterations: Optional[int] = ...,
    epsilon: Optional[float] = ...,
    rule: Optional[str] = ...,
    levels: Optional[int] = ...,
    space: Optional[str] = ...,
    memory: Optional[str] = ...,
    local_memory: Union[None, bool, str] = ...,
    unroll: Optional[int] = ...,
    access: Optional[str] = ...,
    work_group: Union[None, str, Tuple[int, int]] = ...,
    kernel: Optional[str] = ...,
    schedule: Optional[str] = ...,
) -> Regions: ...
def statistics(array: _Image, *, device: str = ...) -> Dict[str, ChannelStatistics]: ...
def reduce(array: NDArray[Any], op: str, *, device: str = ...) -> Union[int, float, _Pair, Tuple[_Pair, Tuple[Optional[int], Optional[int]]]]: ...
def devices() -> List[Device]: ...
def pyrMeanShiftFiltering(
    src: _Image,
    sp: float,
    sr: float,
    dst: Optional[_Image] = ...,
    maxLevel: int = ...,
    termcrit: Optional[Tuple[int, int, float]] = ...,
) -> _Image: ...
