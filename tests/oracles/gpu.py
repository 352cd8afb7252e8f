#!/usr/bin/env python3
"""Writes the databases of GPU profilers in traces/ and traces/bad/: python3 tests/oracles/gpu.py

They are written by SQLite. What they must become is worked out by hand: nsight.sqlite and rocpd.db in tests/sql/formats,
those with rows that are lost in nsight_losses.slt and rocpd_losses.slt there, gpu_work.sqlite in tests/sql/views/gpu_….slt.
"""
import os
import sqlite3

ROOT = os.path.join(os.path.dirname(__file__), "../../traces")


def database(name, script):
    path = os.path.join(ROOT, name)
    if os.path.exists(path):
        os.remove(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA page_size = 512")
    connection.executescript(script)
    connection.close()


def thread(pid, tid):
    return 1 << 48 | pid << 24 | tid


ONE, TWO = thread(100, 101), thread(200, 201)
PROCESS = thread(100, 0)
# A string that is longer than a page: it goes on on others.
LONG = "kernel<" + "template argument, " * 26 + ">"
database("nsight.sqlite", f"""
CREATE TABLE META_DATA_EXPORT (name, value);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.13.2');
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000500000000);
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMalloc_v3020'), (3, 'axpy'), (4, '{LONG}'),
    (5, 'MPI_Send'), (6, 'MPI_Irecv'), (7, 'MPI_Wait'), (8, 'setup');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
    start, -- REFERENCES nothing, (really)
    end, globalTid, correlationId, nameId, returnValue);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1200, {ONE}, 7, 1, 0), (500, 700, {ONE}, 6, 2, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,
    correlationId, globalPid, demangledName, shortName, gridX);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1500, 2500, 0, 1, 7, 7, {PROCESS}, 4, 3, 64);
CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId,
    domainId, int64Value);
INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, 'solver', {ONE}, NULL, 2, NULL), (2, NULL, 39, 'main', {ONE}, NULL, 0, NULL),
    (400, 800, 59, NULL, {ONE}, 8, 2, -5), (900, NULL, 34, 'here', {ONE}, NULL, 0, NULL);
CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid);
INSERT INTO SCHED_EVENTS VALUES (450, 2, 0, {ONE}), (550, 3, 1, {ONE}), (750, 3, 0, {ONE});
CREATE TABLE MPI_RANKS (globalTid, rank);
INSERT INTO MPI_RANKS VALUES ({ONE}, 0), ({TWO}, 1);
CREATE TABLE MPI_P2P_EVENTS (start, end, globalTid, textId, commHandle, tag,
    remoteRank, size, requestHandle);
INSERT INTO MPI_P2P_EVENTS VALUES (3000, 3100, {ONE}, 5, 44, 9, 1, 4096, NULL), (2900, 2950, {TWO}, 6, 44, 9, 0, 4096, 55);
CREATE TABLE MPI_START_WAIT_EVENTS (start, end, globalTid, textId, requestHandle);
INSERT INTO MPI_START_WAIT_EVENTS VALUES (3050, 3300, {TWO}, 7, 55), (3050, 3300, {TWO}, 7, 56);
""")
database("rocpd.db", """
CREATE TABLE rocpd_metadata_ab (id INTEGER PRIMARY KEY, tag, value);
INSERT INTO rocpd_metadata_ab VALUES (1, 'schema_version', '3');
CREATE TABLE rocpd_string_ab (id INTEGER PRIMARY KEY, string);
INSERT INTO rocpd_string_ab VALUES (1, 'hipLaunchKernel'), (2, 'HIP_RUNTIME_API_EXT'), (3, 'MEMORY_COPY_HOST_TO_DEVICE'),
    (4, 'MEMORY_COPY_DEVICE_TO_HOST');
CREATE TABLE rocpd_info_node_ab (id INTEGER PRIMARY KEY, hostname);
INSERT INTO rocpd_info_node_ab VALUES (1, 'node9');
CREATE TABLE rocpd_info_process_ab (id INTEGER PRIMARY KEY, nid, pid, command, environment);
INSERT INTO rocpd_info_process_ab VALUES (1, 1, 700, 'solver --fast', '{"TOKEN": "secret"}');
CREATE TABLE rocpd_info_thread_ab (id INTEGER PRIMARY KEY, nid, pid, tid, name);
INSERT INTO rocpd_info_thread_ab VALUES (1, 1, 1, 701, 'main');
CREATE TABLE rocpd_info_agent_ab (id INTEGER PRIMARY KEY, type, name);
INSERT INTO rocpd_info_agent_ab VALUES (1, 'CPU', 'cpu'), (2, 'GPU', 'gfx90a');
CREATE TABLE rocpd_info_kernel_symbol_ab (id INTEGER PRIMARY KEY, display_name);
INSERT INTO rocpd_info_kernel_symbol_ab VALUES (1, 'axpy');
CREATE TABLE rocpd_event_ab (id INTEGER PRIMARY KEY, category_id, stack_id);
INSERT INTO rocpd_event_ab VALUES (1, 2, 11), (2, NULL, 11), (3, NULL, 12);
CREATE TABLE rocpd_region_ab (id INTEGER PRIMARY KEY, nid, pid, tid, start, end, name_id,
    event_id);
INSERT INTO rocpd_region_ab VALUES (1, 1, 1, 1, 1000, 1100, 1, 1);
CREATE TABLE rocpd_kernel_dispatch_ab (id INTEGER PRIMARY KEY, nid, pid, tid, agent_id, kernel_id,
    queue_id, stream_id, start, end, grid_size_x, event_id);
INSERT INTO rocpd_kernel_dispatch_ab VALUES (1, 1, 1, 1, 2, 1, 16, 3, 1200, 1700, 256, 2);
CREATE TABLE rocpd_memory_copy_ab (id INTEGER PRIMARY KEY, nid, pid, tid, start, end, name_id,
    src_agent_id, dst_agent_id, size, queue_id, stream_id, event_id);
INSERT INTO rocpd_memory_copy_ab VALUES (1, 1, 1, 1, 800, 900, 3, 1, 2, 4096, 16, NULL, 3),
    (2, 1, 1, 1, 1800, 1850, 4, 2, 1, 1024, 16, NULL, NULL);
""")

# Two devices, and two streams that work at once on the first. One call launches a graph of two kernels.
database("gpu_work.sqlite", f"""
CREATE TABLE META_DATA_EXPORT (name, value);
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020'), (3, 'cudaGraphLaunch_v10000'),
    (4, 'axpy'), (5, 'dot');
CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id, label);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'Host-to-Device'), (2, 'Device-to-Host');
CREATE TABLE TARGET_INFO_GPU (id, name, cuDevice);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'A100', 0), (1, 'A100', 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1100, {ONE}, 1, 2), (1100, 1200, {ONE}, 2, 1),
    (1200, 1300, {ONE}, 3, 1), (1300, 1400, {ONE}, 4, 3), (1400, 1500, {ONE}, 5, 2), (1500, 1600, {ONE}, 6, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, shortName);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2000, 3000, 0, 1, 7, 2, {PROCESS}, 4), (2500, 3500, 0, 1, 8, 3, {PROCESS}, 5),
    (4000, 4500, 0, 1, 7, 4, {PROCESS}, 4), (4500, 5000, 0, 1, 7, 4, {PROCESS}, 5), (2000, 2600, 1, 2, 7, 6, {PROCESS}, 4);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1500, 2200, 0, 1, 8, 1, {PROCESS}, 7000, 1),
    (5000, 5200, 0, 1, 7, 5, {PROCESS}, 200, 2);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, metricId, metricName);
INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256000, 3, 'SMs Active'), (256001, 3, 'SMs Active');
CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value);
INSERT INTO GPU_METRICS VALUES (2000, 256000, 3, 40), (3000, 256000, 3, 80), (2000, 256001, 3, 10);
""")
# Rows that cannot be read, and those that refer to what is not there.
database("bad/nsight_losses.sqlite", f"""
CREATE TABLE META_DATA_EXPORT (name, value);
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);
INSERT INTO StringIds VALUES (1, 'open'), (2, 'MPI_Send');
CREATE TABLE OSRT_API (start, end, globalTid, nameId);
INSERT INTO OSRT_API VALUES (100, 200, {ONE}, 1), (NULL, 300, {ONE}, 1), ('x', 300, {ONE}, 1), (400, 500, NULL, 1),
    (600, 700, {ONE}, 99), (900, 800, {ONE}, 1), (1000, NULL, {ONE}, 1);
CREATE TABLE OSRT_CALLCHAINS (id, symbol);
INSERT INTO OSRT_CALLCHAINS VALUES (1, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, shortName);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1200, 1300, 0, 1, 7, 5, {PROCESS}, 1);
CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value);
INSERT INTO GPU_METRICS VALUES (1100, 0, 1, 50), (NULL, 0, 1, 50), (1150, 0, 1, 'x'), (1150, NULL, 1, 1);
CREATE TABLE NET_NIC_METRIC (start, end, globalId, value);
INSERT INTO NET_NIC_METRIC VALUES (1, 2, 3, 4), (2, 3, 3, 4);
CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid);
INSERT INTO SCHED_EVENTS VALUES (50, 0, 0, {ONE}), (60, 0, 1, {ONE}), (70, 1, 1, {ONE}), (80, 1, 0, {ONE});
CREATE TABLE MPI_RANKS (globalTid, rank);
INSERT INTO MPI_RANKS VALUES ({ONE}, 0);
CREATE TABLE MPI_P2P_EVENTS (start, end, globalTid, textId, tag, remoteRank);
INSERT INTO MPI_P2P_EVENTS VALUES (1250, 1260, {ONE}, 2, 9, 1), (1270, 1280, {TWO}, 2, 9, 0);
""")
database("bad/rocpd_losses.db", """
CREATE TABLE rocpd_metadata (id INTEGER PRIMARY KEY, tag, value);
CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string);
INSERT INTO rocpd_string VALUES (1, 'hipMalloc');
CREATE TABLE rocpd_info_pmc (id INTEGER PRIMARY KEY, name);
INSERT INTO rocpd_info_pmc VALUES (1, 'SQ_WAVES');
CREATE TABLE rocpd_region (id INTEGER PRIMARY KEY, nid, pid, tid, start, end, name_id);
INSERT INTO rocpd_region VALUES (1, 1, 1, 1, 100, 200, 1), (2, 1, 1, 1, NULL, 300, 1), (3, 1, 1, 1, 400, 500, 7);
CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, nid, pid, agent_id, kernel_id, stream_id, start, end, event_id);
INSERT INTO rocpd_kernel_dispatch VALUES (1, 1, 1, 2, 1, 3, 600, 700, 4), (2, 1, 1, 2, 1, 3, NULL, 900, 5);
CREATE TABLE rocpd_pmc_event (id INTEGER PRIMARY KEY, event_id, pmc_id, value);
INSERT INTO rocpd_pmc_event VALUES (1, 4, 1, 2.5), (2, 99, 1, 3), (3, 4, 1, NULL);
CREATE TABLE rocpd_memory_allocate (id INTEGER PRIMARY KEY, nid, pid, type, start, end, size);
INSERT INTO rocpd_memory_allocate VALUES (1, 1, 1, 'ALLOC', 450, 460, NULL);
CREATE TABLE rocpd_sample (id INTEGER PRIMARY KEY, track_id, timestamp);
INSERT INTO rocpd_sample VALUES (1, 8, 100), (2, 8, NULL);
CREATE TABLE rocpd_arg (id INTEGER PRIMARY KEY, event_id, name, value);
INSERT INTO rocpd_arg VALUES (1, 4, 'size', '8'), (2, 4, 'flags', '0');
CREATE TABLE rocpd_new (id INTEGER PRIMARY KEY, start);
INSERT INTO rocpd_new VALUES (1, 100);
""")
