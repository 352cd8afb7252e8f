-- Areas of space and time that behave alike
-- The partition that the overview shows, with p = 0.5.
SELECT container, depth, resources, start_time, end_time, mode, proportion, gain, loss
FROM spatiotemporal_partition(slices => 30, p => 0.5)
ORDER BY area
