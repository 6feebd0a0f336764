# English words of the source `folder`. auscult/contract/words/en.ftl explains the functions.

file_name_time = { $path }: the name holds no time in the form { $pattern }
file_too_old = { $path }: its time lies before what was processed already
file_ends_program = { $path }: the gateway ended { $times } times while it read this file; it may need more memory than there is: cut it into shorter files
file_in_future = { $path }: its time lies in the future; correct the clock that wrote it
folder_unreadable = { $path }: can't be read ({ $detail })
files_set_aside =
    { $count ->
        [one] { $count } file
       *[other] { $count } files
    } rejected; the reasons are in { $folder }
