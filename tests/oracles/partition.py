#!/usr/bin/env python3
"""A second program for spatiotemporal_partition: Algorithm 1 and equations 1 to 4 word for word, not for speed.

usage: partition.py TRACE SLICES P [mean|sum [both|time|space [fewest|order]]]

TRACE is traces/overview.trace or written like it: containers are created by events 3, states set by events 5, and
nothing is nested. `time` averages the leaves into one resource first, `space` the slices into one. Of equally good partitions,
`fewest` takes the one with the fewest areas, `order` that of the first cut in the order of the paper. Prints the areas by
container and time with gain and loss, and their sums. The expected values of tests/sql/partition come from it.
"""
import math
import sys


class Node:
    def __init__(self, name):
        self.name, self.children, self.states = name, [], []

    def leaves(self):
        return [self] if not self.children else [leaf for child in self.children for leaf in child.leaves()]


def read(path):
    nodes, last = {}, 0.0
    root = None
    for line in open(path):
        word = line.split()
        if word[0] == "3":
            nodes[word[2]] = Node(word[5])
            if word[4] == "0":
                root = nodes[word[2]]
            else:
                nodes[word[4]].children.append(nodes[word[2]])
        elif word[0] == "5":
            nodes[word[3]].states.append((float(word[1]), word[4]))
        if word[0] in "45":
            last = max(last, float(word[1]))
    return root, last


def proportions(leaf, end, slices):
    """rho[state][slice] of a leaf."""
    rho = {}
    ends = [time for time, _ in leaf.states[1:]] + [end]
    for (start, state), stop in zip(leaf.states, ends):
        row = rho.setdefault(state, [0.0] * slices)
        for number in range(slices):
            begin, until = end * number / slices, end * (number + 1) / slices
            row[number] += max(0.0, min(stop, until) - max(start, begin)) / (until - begin)
    return rho


def information(x):
    return x * math.log2(x) if x > 0 else 0.0


class Partition:
    def __init__(self, path, slices, p, measure, dimensions, ties):
        self.root, end = read(path)
        self.slices, self.p, self.measure, self.ties = slices, p, measure, ties
        self.rho = {leaf.name: proportions(leaf, end, slices) for leaf in self.root.leaves()}
        self.states = sorted({state for rho in self.rho.values() for state in rho})
        self.known = {}
        if dimensions == "time":
            means = {state: [self.mean(self.root, i, i, state) for i in range(slices)] for state in self.states}
            self.root.children, self.rho = [], {self.root.name: means}
        if dimensions == "space":
            for leaf in self.root.leaves():
                self.rho[leaf.name] = {state: [self.mean(leaf, 0, slices - 1, state)] for state in self.states}
            self.slices = 1

    def mean(self, node, i, j, state):
        cells = self.cells(node, i, j, state)
        return sum(cells) / len(cells)

    def cells(self, node, i, j, state):
        zero = [0.0] * self.slices
        return [rho for leaf in node.leaves() for rho in self.rho[leaf.name].get(state, zero)[i : j + 1]]

    def quality(self, node, i, j):
        gain = loss = 0.0
        for state in self.states:
            cells = self.cells(node, i, j, state)
            total, mean = sum(cells), self.mean(node, i, j, state)
            gain += information(mean if self.measure == "mean" else total) - sum(map(information, cells))
            loss += sum(rho * math.log2(rho / mean) for rho in cells if rho > 0)
        return gain, loss

    def best(self, node, i, j):
        """The best value of an area, its cut (j for none, -1 for space, else the last slice before it), and how many
        areas that gives."""
        if (node.name, i, j) in self.known:
            return self.known[node.name, i, j]
        gain, loss = self.quality(node, i, j)
        best = self.p * gain - (1 - self.p) * loss, j, 1
        if node.children:
            best = self.better(best, -1, [self.best(child, i, j) for child in node.children])
        for last in range(i, j):
            best = self.better(best, last, [self.best(node, i, last), self.best(node, last + 1, j)])
        self.known[node.name, i, j] = best
        return best

    def better(self, best, cut, parts):
        value, areas = sum(part[0] for part in parts), sum(part[2] for part in parts)
        is_equal = abs(value - best[0]) <= 1e-10
        if is_equal and self.ties == "fewest":
            return (value, cut, areas) if areas < best[2] else best
        return (value, cut, areas) if value > best[0] + 1e-10 else best

    def areas(self, node, i, j):
        cut = self.best(node, i, j)[1]
        if cut == j:
            return [(node.name, i, j)]
        if cut == -1:
            return [area for child in node.children for area in self.areas(child, i, j)]
        return self.areas(node, i, cut) + self.areas(node, cut + 1, j)


def main():
    usual = ["mean", "both", "fewest"]
    measure, dimensions, ties = (sys.argv[4:] + usual[len(sys.argv[4:]) :])[:3]
    partition = Partition(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), measure, dimensions, ties)
    nodes = {}

    def note(node):
        nodes[node.name] = node
        for child in node.children:
            note(child)

    note(partition.root)
    gain = loss = 0.0
    for name, i, j in sorted(partition.areas(partition.root, 0, partition.slices - 1)):
        quality = partition.quality(nodes[name], i, j)
        gain, loss = gain + quality[0], loss + quality[1]
        means = ["%s %.6f" % (state, partition.mean(nodes[name], i, j, state)) for state in partition.states]
        print(name, i, j, "gain %.6f loss %.6f" % quality, " ".join(means))
    print("sum gain %.6f loss %.6f" % (gain, loss))


if __name__ == "__main__":
    main()
