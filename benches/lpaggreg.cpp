// Runs the authors' library LPAggreg on a model that `benches/partition.rs` wrote: what it finds, and CPU seconds.
// usage: lpaggreg MODEL P 0|1      with 1, also all p to 0.001
// How to build it: benches/README.md
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>
#include <vector>
#include "DLPAggreg2.h"
#include "DLPAggregWrapper.h"

static double cpu() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void add(DLPAggreg *node, int start, int end, double &areas, double &gain, double &loss) {
  DLPCut cut = *node->getBestCuts()[start][end - start];
  int first = cut.getCut();
  if (cut.isAggregated()) {
    Quality *quality = node->getQualities()[first][end - first];
    areas += 1;
    gain += quality->getGain();
    loss += quality->getLoss();
  } else {
    for (DLPAggreg *child : node->getChildNodes()) add(child, first, end, areas, gain, loss);
  }
  if (first > start) add(node, start, first - 1, areas, gain, loss);
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  FILE *file = fopen(arguments[1], "r");
  int slices, states, nodes;
  if (!file || fscanf(file, "%d %d %d", &slices, &states, &nodes) != 3) return 1;
  DLPAggregWrapper wrapper(2);
  for (int node = 0; node < nodes; node++) {
    int parent, is_leaf;
    if (fscanf(file, "%d %d", &parent, &is_leaf) != 2) return 1;
    if (parent < 0) wrapper.newRoot(node);
    else if (is_leaf) wrapper.newLeaf(node, parent);
    else wrapper.newNode(node, parent);
    for (int slice = 0; is_leaf && slice < slices; slice++) {
      wrapper.addVector(node);
      for (int state = 0; state < states; state++) {
        double rho;
        if (fscanf(file, "%lf", &rho) != 1) return 1;
        wrapper.push_back(node, slice, rho);
      }
    }
  }
  wrapper.validate();
  double p = atof(arguments[2]);
  double start = cpu();
  wrapper.computeQualities(false);
  double measures = cpu() - start;
  start = cpu();
  wrapper.computeParts(p);
  double one = cpu() - start, all = 0, areas = 0, gain = 0, loss = 0;
  wrapper.getRoot()->computeBestCuts(p);
  add(wrapper.getRoot(), 0, slices - 1, areas, gain, loss);
  if (atoi(arguments[3])) {
    start = cpu();
    wrapper.computeDichotomy(0.001);
    all = cpu() - start;
  }
  printf("%.0f %.9f %.9f %.6f %.6f %.6f\n", areas, gain, loss, measures, one, all);
  fflush(stdout);
  _exit(0);  // its destructors take minutes
}
