"""What the demo plays, without playing it."""

from auscult.app.command.configuration import load
from auscult.app.command.demo import DEMO_CONFIGURATION
from auscult.gateway.settings.recordings_source import RecordingsSource
from auscult.gateway.sources.dataset import RecordingLabel, read_manifest
from auscult.gateway.sources.playback import duration_ns, playlist

READ_AND_ANSWER_S = 300
"""A newcomer who opens the case from the overview reads, listens and answers."""


def test_a_fault_of_the_demo_lasts_until_it_is_answered():
    sources = load(DEMO_CONFIGURATION).for_gateway(DEMO_CONFIGURATION).sources
    assert {source.machine for source in sources} == {"gearbox", "motor"}
    for source in sources:
        assert isinstance(source, RecordingsSource)
        played = playlist(read_manifest(source.manifest), source)
        broken = [duration_ns(one) for one in played if one.label is not RecordingLabel.HEALTHY]
        assert played[-len(broken)].label is not RecordingLabel.HEALTHY, "one stretch, not many"
        assert source.present_from == "first_fault", "it plays in real time at any pace"
        assert sum(broken) / 1e9 >= READ_AND_ANSWER_S
