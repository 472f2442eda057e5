// Lays a tangle out by dagre, with the ranker that Netron takes for graphs of that size.

import { answer, asked, clocked, load } from "./exchange.mjs";

const LARGE = 3000; // boxes from which on network simplex takes too long

const dagre = load("@dagrejs/dagre");
const tangle = asked();
const graph = new dagre.graphlib.Graph({ multigraph: true });
graph.setGraph({
    nodesep: tangle.gaps.boxes,
    ranksep: tangle.gaps.rows,
    edgesep: tangle.gaps.lines,
    ranker: tangle.sizes.length > LARGE ? "longest-path" : "network-simplex",
});
tangle.sizes.forEach(([width, height], box) => graph.setNode(String(box), { width, height }));
tangle.edges.forEach(([start, end], edge) => graph.setEdge(String(start), String(end), {}, String(edge)));
const [, spent] = await clocked(() => dagre.layout(graph));

const boxes = tangle.sizes.map(([width, height], box) => {
    const { x, y } = graph.node(String(box));
    return [x - width / 2, y - height / 2, width, height];
});
const lines = tangle.edges.map(([start, end], edge) =>
    graph.edge(String(start), String(end), String(edge)).points.map(({ x, y }) => [x, y]),
);
answer("@dagrejs/dagre", spent, { boxes, lines });
