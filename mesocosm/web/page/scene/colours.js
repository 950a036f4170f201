// Colours of a scene: names of a palette, their tints, and what a browser draws with.

const mixed = new Map();

/** Mix two `#rrggbb` colours; share 0 is the first. */
export function mix(one, other, share) {
  const name = `${one}${other}${share}`;
  let found = mixed.get(name);
  if (!found) {
    const channel = (k) => {
      const a = parseInt(one.slice(k, k + 2), 16);
      const b = parseInt(other.slice(k, k + 2), 16);
      return Math.round(a + (b - a) * share).toString(16).padStart(2, "0");
    };
    found = `#${channel(1)}${channel(3)}${channel(5)}`;
    mixed.set(name, found);
  }
  return found;
}

/** Give `#rrggbb` of a colour that a scene names. */
export function colourOf(palette, name) {
  return name.startsWith("#") ? name : (palette[name] ?? palette.ink);
}

/** Give the paints of a glyph by the names that its parts use. */
export function paintsOf(palette, colour, accent) {
  const main = colourOf(palette, colour);
  return {
    main,
    dark: mix(main, "#000000", 0.3),
    light: mix(main, "#ffffff", 0.3),
    accent: colourOf(palette, accent || "ink"),
    ink: palette.ink,
    paper: palette.paper,
    white: palette.white,
  };
}
