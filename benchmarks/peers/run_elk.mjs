// Lays a tangle out by ELK's layered algorithm, compiled to JavaScript.

import { answer, asked, clocked, load } from "./exchange.mjs";

const ELK = load("elkjs/lib/elk.bundled.js");
const tangle = asked();
const engine = new ELK();
const graph = {
    id: "all",
    layoutOptions: {
        "elk.algorithm": "layered",
        "elk.direction": "DOWN",
        "elk.spacing.nodeNode": String(tangle.gaps.boxes),
        "elk.spacing.edgeEdge": String(tangle.gaps.lines),
        "elk.spacing.edgeNode": String(tangle.gaps.beside),
        "elk.layered.spacing.nodeNodeBetweenLayers": String(tangle.gaps.rows),
    },
    children: tangle.sizes.map(([width, height], box) => ({ id: `b${box}`, width, height })),
    edges: tangle.edges.map(([start, end], edge) => ({ id: `e${edge}`, sources: [`b${start}`], targets: [`b${end}`] })),
};
const [drawn, spent] = await clocked(() => engine.layout(graph));

const boxes = drawn.children.map(({ x, y, width, height }) => [x, y, width, height]);
const lines = drawn.edges.map(({ sections = [] }) =>
    sections.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
        [startPoint, ...bendPoints, endPoint].map(({ x, y }) => [x, y]),
    ),
);
answer("elkjs", spent, { boxes, lines });
