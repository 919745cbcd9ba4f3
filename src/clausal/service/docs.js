// Sends the body in the form to a path of this service and shows the answer as text.
"use strict";
for (const button of document.querySelectorAll("button[data-path]")) {
  button.addEventListener("click", async () => {
    const output = document.getElementById("answer");
    output.textContent = "...";
    try {
      const body = document.getElementById("body").value;
      const headers = {"Content-Type": "application/json"};
      const answer = await fetch(button.dataset.path, {method: "POST", headers, body});
      output.textContent = `${answer.status}\n${JSON.stringify(await answer.json(), null, 2)}`;
    } catch (error) {
      output.textContent = String(error);
    }
  });
}
