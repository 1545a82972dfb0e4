// Building pages from untrusted text: nothing here takes markup.

/** An element; children are elements or texts. */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) {
      element.addEventListener(key.slice(2), value);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(key, value === true ? '' : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

/** Markup of a text, for SVG that is written as text since there is much of it. */
function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A drawing that the server made, as an element; scripts in it would not run, and there are none. */
function drawing(svg) {
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  return parsed.tagName === 'svg' ? document.importNode(parsed, true) : make('p', { class: 'soft' }, 'cannot be drawn');
}

/** The Markdown that the language server writes: code blocks, lists, `code`, paragraphs. */
function markdown(text) {
  const out = document.createDocumentFragment();
  const inline = (element, line) => {
    line.split(/(`[^`]*`)/).forEach((part) => {
      element.append(part.startsWith('`') && part.length > 1 ? make('code', {}, part.slice(1, -1)) : part);
    });
    return element;
  };
  text.split(/^```.*$/m).forEach((part, i) => {
    if (i % 2) {
      out.append(make('pre', {}, part.replace(/^\n|\n$/g, '')));
      return;
    }
    for (const block of part.split(/\n\n+/)) {
      if (block.trim()) {
        out.append(inline(make('p', {}), block.trim()));
      }
    }
  });
  return out;
}

function plural(n, word) {
  return `${n.toLocaleString('en')} ${word}${n === 1 ? '' : word.endsWith('ch') ? 'es' : 's'}`;
}

function sizeText(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  while (bytes >= 1024 && unit < 3) {
    bytes /= 1024;
    ++unit;
  }
  return `${unit ? bytes.toFixed(1) : bytes} ${units[unit]}`;
}
