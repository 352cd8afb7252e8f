-- The best overviews of the window for all p: their areas, as a picture of this height can show them, each with the p that
-- show it.
SELECT
    p_from, p_to, container_id, container, start_time, end_time, resources,
    mode, alpha, gain, loss, proportions, y, height, mark
FROM partition_areas(:model, slices => :slices, start => :start, stop => :stop, height => :height, min_height => 3)
