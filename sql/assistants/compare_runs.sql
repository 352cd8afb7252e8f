-- What differs between the runs $1 and $2: each state with its time and its mean share of it over the containers at depth $3,
-- matched by $4.
SELECT
    type,
    value,
    sum(left_seconds) AS baseline_seconds,
    sum(right_seconds) AS run_seconds,
    avg(left_share) AS baseline_share,
    avg(right_share) AS run_share,
    avg(difference) AS difference,
    max(matched) AS matched,
    max(left_containers) AS baseline_containers,
    max(right_containers) AS run_containers
FROM run_diff($1, $2, depth => $3, by => $4)
GROUP BY type, value
ORDER BY abs(difference) DESC NULLS LAST, type, value
