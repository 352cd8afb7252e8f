-- What replay_savings tries, and what each change is.
--
-- Needs: states.
SELECT
    change,
    network,
    bandwidth,
    latency,
    factor,
    value,
    container_id,
    balance
FROM replay_changes
ORDER BY change
