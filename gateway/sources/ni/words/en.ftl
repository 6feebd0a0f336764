# English words of the source `ni`. auscult/contract/words/en.ftl explains the functions.

sensor_open = the card reports an open or short sensor at channel { $channel }; check sensor and cable
