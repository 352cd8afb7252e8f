-- The containers of the selection as nested rectangles: the integral of a variable over the window.
SELECT container_id, container, depth, value, weight, x, y, w, h
FROM treemap(
    (SELECT container_id, integral AS weight
     FROM variable_slices(start => :start, stop => :stop, type => :type)
     WHERE :condition AND integral > 0),
    weight => 'weight', width => :width, height => :height, depth => :depth, padding => 2, min_area => 4)
