-- How efficient the whole run is, and what counts as useful; activity_rules says how to change that.
--
-- Needs: states.
SELECT
    type,
    useful,
    containers,
    load_balance,
    communication_efficiency,
    parallel_efficiency
FROM pop_metrics_of_the_run
ORDER BY parallel_efficiency DESC NULLS LAST, type
