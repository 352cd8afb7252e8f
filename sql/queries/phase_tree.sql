-- Into how many phases to cut: the number before the largest jump of the distance between merged clusters.
--
-- Needs: links.
SELECT
    1 + count(*) OVER (ORDER BY step DESC) AS phases,
    distance,
    distance - lag(distance) OVER (ORDER BY step) AS jump
FROM phase_tree()
ORDER BY jump DESC NULLS LAST, phases
LIMIT 5
