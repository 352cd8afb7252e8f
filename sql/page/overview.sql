-- The best overview of the window for one p: its areas, as a picture of this height can show them.
SELECT
    :p AS p, area, container_id, container, first_slice, last_slice, start_time, end_time, resources,
    mode, proportion, alpha, gain, loss, proportions, y, height, mark
FROM partition_visual(:model, slices => :slices, start => :start, stop => :stop, p => :p, height => :height, min_height => 3)
