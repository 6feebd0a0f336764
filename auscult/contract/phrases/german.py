"""German of the sentences that the server itself sends: in messages, work orders and reports.

All other German is the page's (web/src/i18n/said). The page imports these from here by
`python -m lab.documents`, so that each sentence has one home.
"""

from typing import Final

PHRASES_DE: Final[dict[str, str]] = {
    # headlines
    "case_fault": "{fault:word}{point:?, #}{bearing:?, Lager #}",
    "case_zone": "Schwingung in Zone {zone}{point:?, #}",
    "case_limit": "{title} jenseits der Grenze „{level:word}“{point:?, #}",
    "case_sensor": "verändert, womöglich durch eine Sensorstörung: Sensor und Maschine prüfen"
    "{point:?, #}",
    "case_unclear": "verändert, Ursache noch unklar{point:?, #}",
    # urgency
    "urgency_over": "vorbei: Die Maschine liegt wieder in ihrer Referenz",
    "urgency_over_lost": "hier abgeschlossen: Das Gateway kennt es nicht mehr, kein Fenster maß "
    "sein Ende",
    "urgency_over_learning": "vorbei ohne gemessenes Ende: Die Maschine lernte eine neue Referenz",
    "urgency_lost": "das Gateway hat sein Gedächtnis verloren, zuletzt bekannt: {level:word}",
    "urgency_zone_d": "Zone D, {value:mm/s}: Die Schwingung kann Schäden verursachen",
    "urgency_zone_c": "Zone C, {value:mm/s}: nicht für Dauerbetrieb",
    "urgency_limit_passed": "jenseits der Alarmgrenze, die der Betrieb gesetzt hat",
    "urgency_limit_ahead": "Grenze „{level:word}“ {:when}, wenn es so weitergeht",
    "urgency_rising": "die Evidenz steigt, jetzt das {times}-Fache der Alarmschwelle",
    "urgency_steady": "die Evidenz ist stabil beim {times}-Fachen der Alarmschwelle",
    "urgency_falling": "die Evidenz sinkt, jetzt das {times}-Fache der Alarmschwelle",
    "urgency_new": "neu, beim {times}-Fachen der Alarmschwelle: zu kurz für einen Verlauf",
    "urgency_silent": "jetzt ohne Signal, und der letzte Zustand war: {level:word}",
    "urgency_none": "keine Grenze in Sicht",
    "urgency_normal": "normal, laut Antwort von {actor}",
    "urgency_work": "geplante Arbeit läuft",
    "urgency_checked": "die ersten Fenster nach der Arbeit werden mit denen davor verglichen",
    "urgency_confirmed": "ein Schaden, bestätigt von {actor}",
    # the state of the plant
    "status_needs": "{count:# Maschine braucht jemanden|# Maschinen brauchen jemanden}",
    "status_in_hand": "{count} in Arbeit",
    "status_cannot_assess": "{count:# Maschine ist|# Maschinen sind} nicht zu beurteilen",
    "status_awaiting": "{count:# Referenz wartet|# Referenzen warten} auf Freigabe",
    "status_learning": "{count:# Maschine lernt|# Maschinen lernen}",
    "status_quiet": "{count:# Maschine ist ruhig|# Maschinen sind ruhig}",
    "status_all_quiet": "{count:die Maschine liegt|alle # Maschinen liegen} in ihrer Referenz",
    "status_shelved": "{count} zurückgestellt, außer Betrieb oder in geplanter Arbeit",
    "status_gateways": "{count:# Gateway ist|# Gateways sind} nicht verbunden",
    "status_no_machines": "noch keine Maschinen",
    # requests
    "photo_too_large": "das Foto hat mehr als {limit} Millionen Bildpunkte; ein kleineres nehmen",
    "photo_unreadable": "das ist kein lesbares Foto; eines der Formate {formats} senden",
    "photos_full": "der Fall hat {most} Fotos, die Grenze; zuerst eines entfernen",
    "channel_unusable": "kein Dienst hat eine Adresse dieser Form; siehe die Liste der Dienste in "
    "docs/notification.md",
    "list_full": "es gibt {most} Einträge, die Grenze; zuerst einen entfernen",
    "message_not_failed": "die Nachricht ist gesendet oder wartet auf ihren ersten Versuch",
    "event_not_standing": "das Ereignis ist vorbei und quittiert; es gibt nichts zu schließen",
    "case_not_repaired": "der Fall ist nicht als behoben abgeschlossen; es gibt keine Reparatur zu "
    "prüfen",
    "case_still_open": "die Maschine weicht noch von ihrer Referenz ab; den Alarm "
    "beantworten, quittieren oder zurückstellen und den Fall schließen, wenn es vorbei ist",
}
WORDS_DE: Final[dict[str, str]] = {
    "outer": "Außenringschaden",
    "propeller": "Propeller- oder Lüfterschaden",
    "inner": "Innenringschaden",
    "ball": "Wälzkörperschaden",
    "cage": "Käfigschaden",
    "bearing": "Lagerschaden",
    "imbalance": "Unwucht",
    "misalignment": "Ausrichtfehler",
    "bent": "krumme Welle",
    "looseness": "Lockerung",
    "gear": "Getriebeschaden",
    "rub": "Anstreifen",
    "electrical": "elektrischer Fehler",
    "blades": "Schwingung mit Schaufelfrequenz",
    "belt": "verschlissener oder loser Riemen",
    "turbulence": "turbulente Strömung",
    "cavitation": "Kavitation",
    "lubrication": "Schmiermangel",
    "warning": "Warnung",
    "alarm": "Alarm",
    "case": "Fall",
    "photo": "Foto",
    "message": "Nachricht",
    "channel": "Kanal",
    "rule": "Regel",
    "order": "Auftrag",
    "order_system": "Instandhaltungssystem",
    "report": "Bericht",
    "prescription": "eigene Anweisung",
}
FEATURES_DE: Final[dict[str, str]] = {
    "mean": "Mittelwert",
    "rms": "Effektivwert",
    "peak": "Spitzenwert",
    "peak_to_peak": "Spitze-Spitze",
    "crest_factor": "Scheitelfaktor",
    "kurtosis": "Kurtosis",
    "skewness": "Schiefe",
    "shape_factor": "Formfaktor",
    "impulse_factor": "Impulsfaktor",
    "clearance_factor": "Clearance-Faktor",
    "velocity_rms": "Schwinggeschwindigkeit, effektiv",
    "displacement_rms": "Schwingweg, effektiv",
    "acceleration_rms": "Beschleunigung, effektiv",
    "velocity_peak": "Schwinggeschwindigkeit, Spitze",
    "acceleration_peak": "Beschleunigung, Spitze",
    "temperature": "Temperatur",
    "current": "Strom",
    "voltage": "Spannung",
    "power": "Leistung",
    "energy": "Energie",
    "pressure": "Druck",
    "flow": "Durchfluss",
    "speed": "Drehzahl",
    "humidity": "Feuchte",
    "spectral_centroid": "Schwerpunkt des Spektrums",
    "spectral_spread": "Breite des Spektrums",
    "spectral_entropy": "Gleichmaß des Spektrums",
    "spectral_flatness": "Flachheit des Spektrums",
    "spectral_rolloff": "Obere Kante des Spektrums",
    "band_#": "Frequenzband #",
    "third_octave_#": "Terz #",
    "octave_#": "Oktave #",
    "envelope_band_#": "Hüllkurve, Band #",
    "mel_#": "Schallband #",
    "mel_fluctuation_#": "Schwankung, Schallband #",
    "a_weighted_rms": "A-bewerteter Pegel",
    "bpfo": "Außenring (BPFO)",
    "bpfi": "Innenring (BPFI)",
    "bsf": "Wälzkörper (BSF)",
    "ftf": "Käfig (FTF)",
    "gear_mesh": "Zahneingriff",
    "level": "Pegel",
    "prominence": "Überhöhung",
    "sidebands": "Seitenbänder",
    "cepstrum_peak": "Stärkste Periodizität",
    "cepstrum_quefrency": "Periode der stärksten Periodizität",
    "cepstrum_shaft": "Periodizität mit der Welle",
    "order_#": "#× Drehzahl",
    "evidence": "Evidenz",
}
"""Names of features without their unit; `#` is a number."""
_BANDS: Final = {
    "fluctuation of band": "Schwankung im Band",
    "envelope": "Hüllkurve",
    "band": "Band",
    "r.m.s.": "Effektivwert",
}


def title_de(title: str, feature: str, unit: str) -> str:
    """Return the German name of a feature whose English name is ``title``.

    >>> title_de("velocity r.m.s.", "velocity_rms_mm_s", "mm/s")
    'Schwinggeschwindigkeit, effektiv'
    >>> title_de("envelope 37.5–47 Hz (1.7 × shaft)", "envelope_band_10", "g")
    'Hüllkurve 37,5–47 Hz (1,7 × Drehfrequenz)'
    """
    suffix = unit.replace("/", "_").replace("²", "2").replace("µ", "u").replace("°", "")
    known = FEATURES_DE.get(feature.removesuffix(f"_{suffix.lower()}"))
    if known is not None:
        return known
    for english, german in _BANDS.items():
        if title.startswith(f"{english} "):
            rest = title.removeprefix(english).replace(".", ",")
            return german + rest.replace("× shaft", "× Drehfrequenz")
    return title.replace("× shaft speed", "× Drehzahl")
