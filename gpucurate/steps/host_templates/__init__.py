"""`host_templates`: lines that many pages of one host share, such as menus and footers, cut from all of them."""

from gpucurate.steps.host_templates.step import HostTemplates

__all__ = ["HostTemplates"]
