# English words of the source `simulator`. auscult/contract/words/en.ftl explains the functions.

simulator_rates = the points of a simulated machine need one rate, they have { $rates }
