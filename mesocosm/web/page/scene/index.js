// Scenes on canvas: what the areas of the page use.
export { SceneCanvas } from "./canvas.js";
export { drawScene } from "./draw.js";
export { boxOf, field, findPlaces, readSource, shows } from "./item.js";
export { SceneLegend, SceneWords } from "./legend.js";
export { fitView } from "./view.js";
