-- How long so many ranks of each machine compute at once: the mountain range of each machine, added up.
SELECT
    container AS machine,
    active AS ranks,
    sum(duration) AS seconds
FROM concurrency(value => 'compute', depth => 1)
GROUP BY container, active
ORDER BY machine, ranks
