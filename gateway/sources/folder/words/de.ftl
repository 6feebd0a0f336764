# German words of the source `folder`.

file_name_time = { $path }: der Name enthält keine Zeit der Form { $pattern }
file_too_old = { $path }: die Zeit liegt vor dem bereits Verarbeiteten
file_ends_program = { $path }: das Gateway endete { $times } Mal, während es diese Datei las; vielleicht braucht sie mehr Speicher, als da ist: in kürzere Dateien teilen
file_in_future = { $path }: die Zeit liegt in der Zukunft; die Uhr berichtigen, die sie schrieb
folder_unreadable = { $path }: nicht lesbar ({ $detail })
files_set_aside =
    { $count ->
        [one] { $count } Datei
       *[other] { $count } Dateien
    } beiseitegelegt; die Gründe liegen in { $folder }
