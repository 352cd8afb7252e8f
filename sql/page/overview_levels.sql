-- The values of p that give different overviews of the window, with what each gains and loses.
SELECT p, aggregates, gain, loss, gain_ratio, loss_ratio
FROM partition_levels(:model, slices => :slices, start => :start, stop => :stop)
ORDER BY p
