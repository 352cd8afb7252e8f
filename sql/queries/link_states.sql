-- In which states messages leave and arrive, and how long they are in flight.
--
-- Needs: links.
SELECT
    source_state,
    target_state,
    count(*) AS messages,
    sum(volume) AS volume,
    avg(end_time - start_time) AS mean_seconds
FROM link_states
GROUP BY source_state, target_state
ORDER BY messages DESC, source_state, target_state
