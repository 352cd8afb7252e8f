-- What is wrong with the run, the most severe first: what, where, when, how much it costs, and the query that proves it.
SELECT
    rank, kind, title, severity, seconds, container_id, container, start_time, end_time, involved, confidence, evidence,
    picture
FROM findings(start => :start, stop => :stop)
ORDER BY rank
