"""A real browser without a window. Where there is none, these tests are left out and say so."""

from __future__ import annotations

import shutil

import pytest

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync --disable-quic"
)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A Chromium driven by Selenium; it goes nowhere but to files."""
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip(
            "LEFT OUT: no Chromium and chromedriver; on Debian: apt-get install chromium chromium-driver"
        )
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    yield chrome
    chrome.quit()


@pytest.fixture
def visit(browser):
    """Open a file in the browser; at the end of the test its console must be empty."""

    def open_page(path, width=1280, height=900):
        browser.get_log("browser")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(path.as_uri())
        return browser

    yield open_page
    assert browser.get_log("browser") == []
