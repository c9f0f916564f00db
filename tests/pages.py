"""Pages taken apart: what a reader of an HTML report sees, and what is packed into it."""

import base64
import json
import struct
import zlib
from html.parser import HTMLParser


class Page(HTMLParser):
    """A page taken apart: its elements with their attributes, the text of scripts, and what a reader sees."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.scripts, self.seen, self.inside = [], [], [], []
        self.feed(text)
        self.text = " ".join(" ".join(self.seen).split())

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        if tag in {"script", "style", "title", "desc"}:
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if self.inside and self.inside[-1] == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
        elif not self.inside:
            self.seen.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def unfolded(text):
    """The findings of a packed list, as the docstring of ``as_bytes`` has it: base, top and count of each."""
    data = zlib.decompress(base64.b64decode(text))
    (size,) = struct.unpack_from("<I", data)
    head, at = json.loads(data[4 : 4 + size]), 4 + size

    def column(many):
        nonlocal at
        at += 4 * many
        return struct.unpack_from(f"<{many}I", data, at - 4 * many)

    lengths = column(head["tops"])
    items, per_top = column(sum(lengths)), column(head["tops"])
    low, high = column(head["findings"]), column(head["findings"])
    high = [half - (half >> 31 << 32) for half in high]  # the higher half holds the sign
    masks, found, start, finding, word = column((len(data) - at) // 4), [], 0, 0, 0
    for length, many in zip(lengths, per_top, strict=True):
        top = [head["labels"][item] for item in items[start : start + length]]
        words = -(-length // 32)
        for _ in range(many):
            bits = sum(masks[word + place] << 32 * place for place in range(words))
            base = frozenset(label for place, label in enumerate(top) if bits >> place & 1)
            found.append((base, frozenset(top), low[finding] + (high[finding] << 32)))
            finding, word = finding + 1, word + words
        start += length
    return found


def packed_lists(page):
    """The packed lists of a page, in its order."""
    return [
        text for attributes, text in page.scripts if attributes.get("type") == "text/plain" and "id" not in attributes
    ]
