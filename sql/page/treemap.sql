-- The containers of the selection as nested rectangles: how long they are in each state within the window.
SELECT container_id, container, depth, value, weight, x, y, w, h
FROM treemap(
    (SELECT container_id, value, seconds
     FROM state_slices(state_segments, start => :start, stop => :stop)
     WHERE :condition),
    weight => 'seconds', width => :width, height => :height, depth => :depth, padding => 2, min_area => 4)
