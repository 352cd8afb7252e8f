-- Where the nodes of a graph lie in a picture: the rows of the user's own statement are its edges.
SELECT node_id, node, x, y
FROM graph_layout(
    (SELECT :columns
     FROM (
:rows
     ) AS rows),
    algorithm => :algorithm, width => :width, height => :height)
