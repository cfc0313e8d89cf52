// Prose in Markdown: no HTML of its own, no pictures, links that tell nobody where they come from.
import { MarkdownIt } from "./vendor.js";
import { html, useMemo } from "./dom.js";

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.disable("image");
const plain = markdown.renderer.rules.link_open
  ?? ((tokens, index, options, env, self) => self.renderToken(tokens, index, options));
markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
  tokens[index].attrSet("rel", "noreferrer noopener");
  tokens[index].attrSet("target", "_blank");
  return plain(tokens, index, options, env, self);
};

export function Prose({ text }) {
  const markup = useMemo(() => markdown.render(text), [text]);
  return html`<div class="prose" dangerouslySetInnerHTML=${{ __html: markup }}></div>`;
}
