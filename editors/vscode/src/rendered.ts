/** The request for a rendered view, and what the server answers. */
export const RENDERED = "joblint/rendered";

export interface Position {
  line: number;
  character: number;
}

export interface Target {
  uri: string;
  range: { start: Position; end: Position };
}

export interface Rendered {
  unit: string;
  views: string[];
  view: string;
  text: string;
  /** For each line, the places that it comes from, the deciding one first. */
  origins: Target[][];
  line: number | null;
}

/** The place that decides a line of a rendered view, or one near it that has a place. */
export function originOf(rendered: Rendered, line: number): Target | undefined {
  for (let distance = 0; distance <= 3; distance += 1) {
    const found = rendered.origins[line - distance]?.[0];
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** The line of a rendered view that a line of a file makes: the one that it decides, else one that it reaches. */
export function lineOf(rendered: Rendered, uri: string, line: number): number | undefined {
  const isHere = (at: Target | undefined) => at?.uri === uri && at.range.start.line === line;
  const decided = rendered.origins.findIndex((all) => isHere(all[0]));
  const found = decided >= 0 ? decided : rendered.origins.findIndex((all) => all.some(isHere));
  return found >= 0 ? found : undefined;
}
