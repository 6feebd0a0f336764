"""The way from samples to published decisions, and the training beside it."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping
from functools import partial

from auscult.gateway.connection import BYTES_PER_MB, LAST_MESSAGES_S, Connection
from auscult.gateway.learning.checkpoint_list import CheckpointPublisher
from auscult.gateway.loop import WindowLoop
from auscult.gateway.machines.fault_search import FaultSearches
from auscult.gateway.machines.plant_budget import with_budgets
from auscult.gateway.machines.proof import FOLDER, ProofFiles
from auscult.gateway.machines.restore import restored_machine
from auscult.gateway.machines.training import Trainer
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources.configured import ConfiguredSources
from auscult.gateway.sources.contract import Source
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.clips import Clips, clip_seconds
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import PointPlan, ValuePlan, plan_points, plan_values, train_of
from auscult.gateway.windows.tachos import Tachos
from auscult.link.signing import GATEWAY_KEY, load_or_make_key
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.learning.budget import Budget

TRAINING_STOP_S = 0.5


class Processing:
    """The way from samples to published decisions, and the training beside it."""

    def __init__(
        self,
        settings: GatewaySettings,
        store: Store,
        connection: Connection,
        sources: Mapping[str, Source],
    ) -> None:
        own = settings.gateway
        self.inlet = Inlet()
        self.sources = ConfiguredSources(settings, store, self.inlet, sources)
        bursts = self.sources.bursts
        plans = plan_points(settings, {point: b.length_s for point, b in bursts.items()})
        intervals_s = {
            point: bursts[point].interval_s
            if point in bursts
            else plan.window.hop / plan.window.fs_hz
            for point, plan in plans.items()
        }
        self.specs = {point: plan.spec for point, plan in plans.items()}
        """Features of each point with a signal."""
        values = plan_values(settings)
        intervals_s |= {point: plan.interval_s for point, plan in values.items()}
        signal_bytes = own.signal_memory_mb * BYTES_PER_MB
        self.pipeline = Pipeline(
            plans,
            clip_seconds(own, plans),
            signal_bytes,
            values,
            sheds=not self.sources.wait_for_loop,
            tachos=Tachos(settings.machines),
        )
        self.clips = Clips(own, plans, self.pipeline, store, self.sources.clocks)
        self._proofs = ProofFiles(
            own.data_dir / FOLDER, partial(load_or_make_key, own.data_dir / GATEWAY_KEY)
        )
        all_plans: dict[PointId, PointPlan | ValuePlan] = {**plans, **values}
        of_machine: dict[str, dict[PointId, PointPlan | ValuePlan]] = defaultdict(dict)
        for point, plan in all_plans.items():
            of_machine[point.machine][point] = plan
        self.machines = {
            m.id: restored_machine(m, settings, of_machine[m.id], intervals_s, store, self._proofs)
            for m in with_budgets(settings)
        }
        self.reporter = Reporter(
            own, connection.topics, plans, connection.publisher, self.pipeline, values
        )
        self.publish_checkpoints = CheckpointPublisher(
            store, connection.publisher, connection.topics
        )
        self.trainer: Trainer[MachineModel] = Trainer(Budget(settings.learning.budget()))
        self._searches = FaultSearches(
            plans, self.pipeline, {m.id: train_of(m) for m in settings.machines}, store
        )
        self.loop = WindowLoop(
            self.inlet,
            self.pipeline,
            self.machines,
            self.reporter,
            self.trainer,
            store,
            self._searches,
            self.clips,
            self.publish_checkpoints,
            sources_wait=self.sources.wait_for_loop,
        )

    def start(self) -> None:
        self.trainer.start()

    def start_sources(self, ending: threading.Event) -> None:
        self.sources.start(ending)

    def stop_sources(self) -> None:
        self.inlet.close()
        self.sources.join(LAST_MESSAGES_S)

    def stop(self) -> None:
        self.trainer.stop(TRAINING_STOP_S)
        self._searches.stop()
        self._proofs.close()
